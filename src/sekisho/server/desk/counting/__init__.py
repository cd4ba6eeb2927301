"""What the counting process of a case does: reads the file, keeps its columns coded, answers questions about them."""
