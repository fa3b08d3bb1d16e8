"""ECW-RMED, and the evidence on which it stops exploring."""
