"""The one way of data to a release: locks, steps in order, pages, files, certificate; every door calls it."""
