"""Attacks of the red team against plain listing, on small random cases and on real data."""
