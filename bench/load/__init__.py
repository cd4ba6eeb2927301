"""A contest's server under the load of a deadline: files to hand in, the sender, and the pages afterwards."""
