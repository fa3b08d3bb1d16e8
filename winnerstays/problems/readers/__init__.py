"""Readers of preference data, one format a module."""
