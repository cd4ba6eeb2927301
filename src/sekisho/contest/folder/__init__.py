"""A contest in a folder: files as they came by e-mail, a contest that is going on, and a contest as one archive."""
