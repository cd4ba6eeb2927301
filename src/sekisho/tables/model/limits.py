"""The largest and least numbers of a table: what is exact, what adds up, and what counts as protection."""

LARGEST = 2**53
"""Whole numbers below are exact."""

HEAVIEST = 2**20
"""Coefficients of equations stay below: sums over all cells are exact then, and a solver can still tell a move from
none."""

RELATIVE_SLACK = 1e-12
ABSOLUTE_SLACK = 1e-9
"""How far float sums may miss; whole numbers below 10**12 must add up exactly."""

LEAST = 1e-3
"""The least protection level there is: an interval much narrower cannot be told from one value, for solvers miss by a
millionth."""
