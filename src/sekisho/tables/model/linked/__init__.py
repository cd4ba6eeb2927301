"""Several tables at once: linked by cells they share, by the joint table behind them, or as parts of one population."""
