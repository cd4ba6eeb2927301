"""Commands that only records have: partners, the referee's test set, whether to call a doubtful record a member."""
