"""An output is there as a whole or not at all, wherever Spark writes."""
