"""Tables that commands print; they are imported only when needed."""
