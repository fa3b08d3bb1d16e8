"""What happens to requests: grouped into transactions, served, answered, learned."""
