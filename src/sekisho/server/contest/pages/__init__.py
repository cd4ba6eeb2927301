"""Pages for people: rendered here, on the API's own functions, in two languages; they work without scripts."""
