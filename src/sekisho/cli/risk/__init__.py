"""``sekisho risk``: how easily the people of a file of records are found, and by which columns."""
