"""What a run of the gate writes, kept apart: what may leave, and what stays."""
