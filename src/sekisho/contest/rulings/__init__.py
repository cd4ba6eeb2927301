"""What the referee says to each kind of event, and why he refuses one."""
