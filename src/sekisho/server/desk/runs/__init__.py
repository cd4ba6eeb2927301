"""The runs of a recipe at the desk: ordered, watched, cancelled and gone on with, each in a process of its own."""
