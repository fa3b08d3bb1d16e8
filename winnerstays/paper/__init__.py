"""Chen & Frazier (2017), rerun: each figure as a panel, every checkable sentence as a claim with a computed verdict."""
