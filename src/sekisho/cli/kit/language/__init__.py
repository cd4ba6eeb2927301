"""In which language a command speaks: how it is chosen, and how what the library says in English is said in it."""
