"""Controlled rounding: tables of multiples that add up, as near to the truth as can be, and how near that is."""
