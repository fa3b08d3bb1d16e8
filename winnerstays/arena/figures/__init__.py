"""What was learned, in numbers."""
