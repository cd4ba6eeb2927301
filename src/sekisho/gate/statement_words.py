"""The words of statements that a certificate's figures say too: said once, so that whoever verifies says the same."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sekisho.safety.rejection import Bound

CLAIM, ATTACKS, INTERVALS = "claim H0", "attacks", "protection intervals"
ARITHMETIC = "the audit's arithmetic in floating point is right: no certificate repeats it exactly"
NOBODY = "nobody is published"


def name_attacks(bound: Bound) -> str:
    """Return what a statement about attacks under a bound is about."""
    return f"{ATTACKS}, {bound} bound"


def tell_knowledge(keys: Sequence[str]) -> str:
    """Return what guarantees on classes of equal keys rest on."""
    return f"the adversary knows no more of a person than {', '.join(keys)}"


def tell_twins(size: int, p: Fraction) -> str:
    """Return how likely it is that a class of twins is named whole, and what H0 allows."""
    return f"a class of {size} is named whole with a chance of 1/{size}!, ({p})^{size} is allowed"


def count_attacks(number: int) -> str:
    """Return a number of attacks in words."""
    return f"{number} {'attack' if number == 1 else 'attacks'}"


def tell_hits(
    attacks: int, bound: Bound, *, strongest: str, hits: int, claimed: int, predicted: Sequence[float]
) -> str:
    """Return what attacks on a history came to under a bound."""
    chance = f"; the largest chance predicted to refute it is {max(predicted):.4g}" if predicted else ""
    return (
        f"{count_attacks(attacks)} under the {bound} bound, the strongest {strongest}: "
        f"{hits} of {claimed} named rightly{chance}"
    )


def tell_mean_risk(attacks: int, *, strongest: str, mean: float, tests: int, target: float) -> str:
    """Return what attacks on records came to over the test sets."""
    return (
        f"{count_attacks(attacks)}, the strongest {strongest}: mean "
        f"risk {mean:.4f} over {tests} test sets, the target is {target:g}"
    )
