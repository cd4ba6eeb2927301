"""Reports that a person reads: the same blocks as one self-contained HTML page or as text for the terminal."""
