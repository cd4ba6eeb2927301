"""Tables: which cells are unsafe, what an attacker can still work out, and the least that must be suppressed."""
