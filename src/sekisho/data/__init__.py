"""What is protected, published and attacked: columns and their roles, data sets, generalised cells, and how to measure between them."""
