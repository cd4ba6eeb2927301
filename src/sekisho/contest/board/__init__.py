"""Boards of contests that speak of totals: what a release and an attacker come to, from what was measured."""
