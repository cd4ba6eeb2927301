"""Keyed records as they are, before any protection: how many people their keys give away, and which key does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.gate.records.cell_attacks import CellAttack
from sekisho.gate.records.comparison import Comparison, leave_unchanged
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.uniques.key_uniques import KeyUniques, count_key_uniques

PROSECUTOR = "prosecutor"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unprotected:
    """The original, as one who knows the keys of people would see it.

    Attributes:
        classes: of equal keys, and the chances of those who know them.
        uniques: how many are alone on the keys, and how many would be without each of them.
    """

    classes: RecordRisk
    uniques: KeyUniques

    @property
    def found(self) -> float:
        """How many people a prosecutor finds on average: the sum of 1/c, which is the number of classes."""
        return float(self.classes.classes)


def examine_original(original: Dataset, question: Comparison) -> Unprotected:
    """Return what the keys give away of records that are not protected.

    Args:
        original: the records.
        question: which columns are keys, which are sensitive; settled.
    """
    unchanged = leave_unchanged(original)
    frame = publish_values(unchanged).frame
    keys: Mapping[str, pl.Series] = {name: frame[name].cast(pl.String) for name in question.keys}
    return Unprotected(classes=question.assess_classes(unchanged), uniques=count_key_uniques(keys))


def find_prosecutor(attacks: tuple[CellAttack, ...], keys: tuple[str, ...]) -> CellAttack | None:
    """Return the attack of the prosecutor who knows all keys; None where nobody asked for him."""
    asked = (each for each in attacks if each.adversary.partition(" ")[0] == PROSECUTOR and set(each.keys) == set(keys))
    return next(asked, None)
