"""What turns any file that people have into a plain table: encodings, lines that are no data, workbooks, statistics."""
