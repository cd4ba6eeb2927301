"""How ``groups`` finds its groups: costs, pairing, search, and bounds that no release can better."""
