"""Benchmarks: `make bench` runs every module here that has `rows()`, prints a table and writes it as JSON."""
