"""What is protected, published and attacked: columns and their roles, data sets, generalised cells, distances."""
