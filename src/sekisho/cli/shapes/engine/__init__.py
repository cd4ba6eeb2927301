"""Files beyond memory at the door."""
