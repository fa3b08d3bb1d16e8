"""CCB, and which pairs its confidence bounds have decided."""
