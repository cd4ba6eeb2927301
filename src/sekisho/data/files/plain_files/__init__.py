"""Files of data of one's own: CSV with a header, dates and numbers as the owner writes them, any text in a cell."""
