"""Twenty made-up exports as offices write them, with the truth about every column."""
