"""The desk: pages on this machine that edit a recipe, run it, show its outcome, and decide nothing."""
