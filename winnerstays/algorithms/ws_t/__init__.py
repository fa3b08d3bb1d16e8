"""Winner Stays with a test: its state, evidence, who meets the challenger, and the rule."""
