"""Groups of very many people: cut into blocks of people who are alike, each searched by itself."""
