"""Pages of histories: a release, what came of it at the gate, studies of many."""
