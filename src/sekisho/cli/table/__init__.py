"""``sekisho table``: one file per verb, and what the verbs share."""
