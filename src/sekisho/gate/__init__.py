"""What joins rooms: whole journeys from raw data to a verdict."""
