"""Every algorithm on every problem: who wins where, by how much, and how bad the worst runs are."""
