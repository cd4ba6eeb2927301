"""The words of statements that a certificate's figures say too: said once, so that whoever verifies says the same."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sekisho.gate.names import name_label
from sekisho.safety.rejection import Bound
from sekisho.words import Said

CLAIM, ATTACKS, INTERVALS, EPSILON = "claim H0", "attacks", "protection intervals", "local-epsilon"
HIDDEN_CELLS = "hidden cells"
"""What a statement about reading values out of cells is about."""
COPIES = "equal records"
"""What a statement about copies of records in a synthetic file is about."""
TOGETHER, EARLIER = "together", "earlier releases"
"""What statements about a release beside those that left before are about: by a register, or named in the recipe."""
REBUILT = "reconstruction"
"""What a statement about people who are rebuilt from tables is about."""
NO_OTHER_SOURCE = Said("the reader has no other source and no prior, and of the method knows the rule only")
ARITHMETIC = Said("the audit's arithmetic in floating point is right: no certificate repeats it exactly")
NOBODY = Said("nobody is published")


def name_attacks(bound: Bound) -> str:
    """Return what a statement about attacks under a bound is about."""
    return f"{ATTACKS}, {bound} bound"


def name_bound(bound: Bound) -> Said:
    """Return what a bound is called."""
    return Said("union bound") if bound is Bound.UNION else Said("exact bound")


def tell_knowledge(keys: Sequence[str]) -> Said:
    """Return what guarantees on classes of equal keys rest on."""
    return tell_known(", ".join(keys))


def tell_known(keys: str) -> Said:
    """Return that an adversary knows some keys and no more."""
    return Said("the adversary knows no more of a person than {keys}", keys=keys)


def add_knowledge(assumption: str, knowledge: Said) -> Said:
    """Return what rests on an assumption and on what an adversary knows."""
    return Said("{assumption}, and {knowledge}", assumption=assumption, knowledge=knowledge)


def find_known(assumes: str) -> str:
    """Return which keys an assumption says that an adversary knows; nothing where it says none."""
    figures = assumes.figures if isinstance(assumes, Said) else {}
    knowledge = figures.get("knowledge")
    if isinstance(knowledge, Said):
        return find_known(knowledge)
    return str(figures.get("keys", ""))


def call_known(assumes: str, keys: str) -> str:
    """Return an assumption with other words for the keys that an adversary knows."""
    figures = assumes.figures if isinstance(assumes, Said) else {}
    assumption, knowledge = figures.get("assumption"), figures.get("knowledge")
    if isinstance(assumption, Said) and isinstance(knowledge, Said):
        return add_knowledge(assumption, tell_known(keys))
    return tell_known(keys) if "keys" in figures else assumes


def tell_twins(size: int, p: Fraction) -> Said:
    """Return how likely it is that a class of twins is named whole, and what H0 allows."""
    return Said("a class of {size} is named whole with a chance of 1/{size}!, ({p})^{size} is allowed", size=size, p=p)


def tell_hits(
    attacks: int, bound: Bound, *, strongest: str, hits: int, claimed: int, predicted: Sequence[float]
) -> Said:
    """Return what attacks on a history came to under a bound."""
    said = Said(
        "{attacks} {attacks:attack|attacks} under the {bound}, the strongest {strongest}: {hits} of {claimed} named "
        "rightly",
        attacks=attacks,
        bound=name_bound(bound),
        strongest=name_label(strongest),
        hits=hits,
        claimed=claimed,
    )
    if not predicted:
        return said
    return Said(
        "{attacks}; the largest chance predicted to refute it is {chance:.4g}", attacks=said, chance=max(predicted)
    )


def tell_mean_risk(attacks: int, *, strongest: str, mean: float, tests: int, target: float) -> Said:
    """Return what attacks on records came to over the test sets."""
    return Said(
        "{attacks} {attacks:attack|attacks}, the strongest {strongest}: mean risk {mean:.4f} over "
        "{tests} test {tests:set|sets}, the target is {target:g}",
        attacks=attacks,
        strongest=name_label(strongest),
        mean=mean,
        tests=tests,
        target=target,
    )
