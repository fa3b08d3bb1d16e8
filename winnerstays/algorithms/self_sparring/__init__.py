"""Self-Sparring: its state, the bar below which samples need not be drawn, and the rule."""
