"""What could be changed in a recipe, for every shape: changes as values, which the journey tries out."""
