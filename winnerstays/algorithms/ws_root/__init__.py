"""Root Winner Stays and its parts."""
