"""Guards against one who reasons back from how a release was chosen, and how far a choice is from another."""
