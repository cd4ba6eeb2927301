"""What the verbs do with data of each shape; a verb asks for the shape once, in ``verbs``."""
