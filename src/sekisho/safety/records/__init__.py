"""Records, one row a person: what classes of equal keys promise or tell, who is unique, and how sure a claim can be."""
