"""What every request of a contest passes before its route: who asks, how much, how often."""
