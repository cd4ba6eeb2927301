"""Pages of records at large: how easily people are found, special uniques, several releases beside one another."""
