"""A model of what people like."""
