"""Files at the gate whose rows stay with an engine: counted, not attacked."""
