"""Winner Stays with a test: its state and evidence, who meets the challenger, and the rule."""
