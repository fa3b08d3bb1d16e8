"""The seed paper, rerun: every figure as a panel, every checkable sentence as a claim with a computed verdict."""
