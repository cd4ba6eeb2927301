"""How well one of two cells and their total is guessed, by how keys are made: the table of docs/methods/cell-keys.md.

Two cells with counts 0 to 6 and their total, each with noise; the attacker thinks 0 to 12 possible (0 to 11 for D = 5),
knows the perturbation table, and uses or does not use how keys are made. Exact sums over all counts and all that can be
shown. ``independent`` ignores that equal sets show equal numbers, which hashed keys keep: nobody's attacker, but what
is left if a reader of added keys does not use that they add up.

Run from the top of the repository: ``python -m verify.cell_key_guesses``; exits with 1 if a figure is not that of the
page.
"""

from __future__ import annotations

import sys
from fractions import Fraction

from sekisho.tables.perturb.posterior import KeyScheme, TwoCells
from sekisho.tables.perturb.rows import NoisePlan, VarianceCare

PAGE = {
    (2, 1, 0, "0"): ((0.564, 0.148, 0.102), (0.556, 0.127, 0.002), (0.511, 0.001, 0.0)),
    (3, 2, 0, "0"): ((0.491, 0.131, 0.066), (0.467, 0.113, 0.0), (0.420, 0.0, 0.0)),
    (5, 3, 2, "0.5"): ((0.528, 0.093, 0.012), (0.517, 0.0, 0.0), (0.491, 0.0, 0.0)),
    (5, 3, 2, "0"): ((0.442, 0.098, 0.0005), (0.410, 0.0, 0.0), (0.367, 0.0, 0.0)),
}
"""By D, V, js and stay: keys added up and used, hashed, added up and not used; each right, surer than 0.9, certain."""


def measure(most: int, variance: int, threshold: int, stay: str) -> list[tuple[float, ...]]:
    """Return the three attackers' figures."""
    plan = NoisePlan(
        most=most,
        variance=Fraction(variance),
        threshold=threshold,
        stay=Fraction(stay),
        care=VarianceCare.AT_MOST,
    )
    two = TwoCells(table=plan.make_table(), most=11 if most == 5 else 12)
    found = (
        two.measure(KeyScheme.SUMMED),
        two.measure(KeyScheme.HASHED),
        two.measure(KeyScheme.SUMMED, believed=KeyScheme.INDEPENDENT),
    )
    return [(each.right, each.sure, each.certain) for each in found]


def main() -> int:
    """Print the table; return 1 if it is not the page's."""
    wrong = 0
    for key, page in PAGE.items():
        found = measure(*key)
        print(key, *(" / ".join(f"{figure:.4f}" for figure in each) for each in found), sep=" | ", flush=True)
        pairs = [
            (ours, theirs) for one, two in zip(found, page, strict=True) for ours, theirs in zip(one, two, strict=True)
        ]
        wrong += any(abs(ours - theirs) > 0.0005 + 1e-9 for ours, theirs in pairs)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
