"""What rules say of the contest itself, whatever the shape of its data."""
