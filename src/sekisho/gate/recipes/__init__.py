"""What recipes of every shape share: keys, presets, and how methods and adversaries are made of them."""
