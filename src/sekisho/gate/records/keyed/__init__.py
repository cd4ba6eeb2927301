"""Records that are judged by their keys: guarantees on the classes, attacks by those who know keys, measures."""
