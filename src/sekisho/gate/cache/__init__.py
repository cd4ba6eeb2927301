"""Finished steps of a run, kept by their content: verified when they are taken up again, never trusted."""
