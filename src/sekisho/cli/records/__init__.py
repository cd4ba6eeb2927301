"""Commands that only records have: their partners, the referee's test set, and whether to call a doubtful record a member."""
