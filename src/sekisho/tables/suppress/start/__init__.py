"""The start of the search on a large table: a safe pattern without any cut, made of boxes and thinned."""
