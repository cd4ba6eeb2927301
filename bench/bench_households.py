"""Households beside plain Python from the definition, and beside the usual product (sdcMicro's ``hier_risk``).

The product takes members for independent; it is the named reference of other programs, and is too low wherever two
members share a class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.households import HouseholdRisk, assess_households
from sekisho.seeds import Seed
from spec import Case

PEOPLE, CLASSES = 1_000_000, 20_000


def make_people(people: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of each person the household (2.2 people on average) and the class of equal keys.

    Three in ten are like the one listed before them, who mostly lives with them: couples of an age, twins.
    """
    rng = Seed(1).rng()
    sizes = rng.choice([1, 2, 3, 4, 5], size=people, p=[0.38, 0.28, 0.17, 0.12, 0.05])
    homes = np.repeat(np.arange(people), sizes)[:people].astype(np.int64)
    classes = (rng.zipf(1.3, people) % CLASSES).astype(np.int64)
    alike = np.flatnonzero(rng.random(people - 1) < 0.3) + 1
    classes[alike] = classes[alike - 1]
    return homes, classes


def assess_plainly(homes: Sequence[int], classes: Sequence[int]) -> tuple[float, float, int]:
    """Return the expected number of households found, the same by the product, and the least households alike."""
    sizes, members = Counter(classes), defaultdict[int, list[int]](list)
    for home, kind in zip(homes, classes, strict=True):
        members[home].append(kind)
    found = product = 0.0
    for kinds in members.values():
        missed = apart = 1.0
        for kind, own in Counter(kinds).items():
            missed *= comb(sizes[kind] - own, own) / comb(sizes[kind], own)
            apart *= (1 - 1 / sizes[kind]) ** own
        found, product = found + 1 - missed, product + 1 - apart
    patterns = Counter(tuple(sorted(kinds)) for kinds in members.values())
    return found, product, min(patterns.values())


def cases() -> Iterator[Case]:
    """Yield the cases."""
    homes, classes = make_people(PEOPLE)
    classes = np.unique(classes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    codes = ColumnCodes(codes=homes, values=tuple(map(str, range(int(homes.max()) + 1))))
    told: HouseholdRisk = assess_households(codes, classes)
    found, product, least = assess_plainly(homes.tolist(), classes.tolist())
    assert abs(float(told.found.sum()) - found) < 1e-6
    assert abs(float(told.independent.sum()) - product) < 1e-6
    assert (told.k, told.understated > 0) == (least, True)
    yield Case(
        work="households: found, best claim, product, patterns",
        size=f"{PEOPLE:,} people, {told.households:,} households",
        ours=lambda: assess_households(codes, classes),
        reference="plain Python; the product of sdcMicro finds "
        f"{product:,.0f} households on average, the exact chance {found:,.0f}",
        other=lambda: assess_plainly(homes.tolist(), classes.tolist()),
        repeat=1,
    )
