"""The Japanese of the command line: a catalogue of sentences with holes, and how an English sentence finds its own."""
