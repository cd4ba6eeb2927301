"""Published intervals: every cell an interval that holds its value, as narrow together as the levels allow."""
