"""The attacker: what the published cells leave open, of any pattern, for outsiders and insiders."""
