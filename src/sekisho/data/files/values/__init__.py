"""Single values in a file: how numbers, dates and texts are read, and written again."""
