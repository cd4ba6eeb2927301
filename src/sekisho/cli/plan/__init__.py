"""``sekisho plan``: how strongly to sample, change and delete before anything is made."""
