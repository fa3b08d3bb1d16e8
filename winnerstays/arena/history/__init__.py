"""The log: hashed, replayed, counted, read, and shortened."""
