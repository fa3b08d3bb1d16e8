"""Beat the Winner and its variants: BTW, BtWR, MBTW."""
