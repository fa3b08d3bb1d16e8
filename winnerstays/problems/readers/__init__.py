"""Readers of files: what is in a file is seen from its content, its name is a hint."""
