"""From published tables back to people: what all of them together leave possible of every block."""
