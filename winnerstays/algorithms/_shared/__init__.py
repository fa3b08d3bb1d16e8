"""Helpers that several algorithms use; none of them is an algorithm."""
