"""What the pages of every shape say of a verdict: reasons, standings, standards, what was tried."""
