"""Double Thompson Sampling: D-TS and D-TS+, and the tournament they sample."""
