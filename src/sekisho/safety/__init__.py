"""What can be promised about a release, or refuted: thresholds, guarantees and exact risks."""
