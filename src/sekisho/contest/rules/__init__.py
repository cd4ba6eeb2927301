"""What rules of every shape hold: the title, the columns and files, and the contest itself."""
