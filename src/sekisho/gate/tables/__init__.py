"""Tables at the gate: several read as one, suppressed within a time, proven, audited and judged."""
