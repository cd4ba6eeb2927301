"""What has already left: a register of releases, chained, in which people are known again without being named."""
