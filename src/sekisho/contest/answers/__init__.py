"""Kinds of answers that attackers give: how a file of each is read and checked, and what it scores.

==========  ============================================================================================
cells       the secret cells of every row
match       for each masked row the known row it belongs to, and the masked value
mark        for every candidate row whether it is a member, with a fixed number of members
confidence  for every known person how likely it is that he is a member
interval    for every challenged person a time, right within a tolerance
ids         for every pseudonym a person
trace       for every person and time a region
==========  ============================================================================================

Each is scored by counts first; the referee alone has the truth.
"""
