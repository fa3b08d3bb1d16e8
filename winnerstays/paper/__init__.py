"""Chen & Frazier (2017), rerun: each figure as a panel, its sentences as claims with computed verdicts."""
