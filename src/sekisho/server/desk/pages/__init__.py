"""The desk's pages, a module each with its ``router``; every page is a GET of a case and a version."""
