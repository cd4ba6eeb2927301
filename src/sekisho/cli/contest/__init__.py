"""The verbs of a contest: check, publish and judge, and its thresholds."""
