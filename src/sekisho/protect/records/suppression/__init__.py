"""Local suppression: single cells of the keys are withheld."""
