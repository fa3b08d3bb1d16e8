"""What commands show, loaded when it is shown."""
