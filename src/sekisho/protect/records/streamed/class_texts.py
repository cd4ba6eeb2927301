"""What the classes of all parts are written as: every distinct text of a key is held once for each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules, Grammar, find_empty, write_cells
from sekisho.data.files.published_frame import publish_exact
from sekisho.data.frame.cells import MISSING_NUMBER, RangeCells
from sekisho.protect.records.recoding.recoded import CodedClasses


def write_classes(classes: CodedClasses, rules: FieldRules) -> tuple[pl.Series, bool]:
    """Return what each class is written as in one key, and whether all are written as exact values."""
    cells, labels = classes.cells[rules.name], classes.labels.get(rules.name)
    exact = labels is None and bool(cells.is_exact().all())
    return write_cells(cells, rules, Grammar()) if labels is None else labels, exact


def publish_classes(texts: pl.Series, rules: FieldRules, *, exact: bool, as_values: bool) -> pl.Series:
    """Return texts of one key as they are published; as values of the column's kind where all are exact, if asked."""
    if exact and not rules.kind.numeric:
        return rules.writing.restore(texts).alias(rules.name)
    if exact and as_values:
        values = np.where(find_empty(texts, rules), MISSING_NUMBER, rules.read_values(texts)[0])
        return publish_exact(rules.column, RangeCells.exact(values))
    return texts


class KeyTexts:
    """The texts of one key, of all classes so far."""

    def __init__(self, rules: FieldRules) -> None:
        self._rules, self._exact = rules, True
        self._texts: list[pl.Series] = []
        self._place: list[NDArray[np.int32]] = []

    def add(self, classes: CodedClasses) -> None:
        """Add the classes of a part."""
        name = self._rules.name
        texts, exact = write_classes(classes, self._rules)
        self._exact &= exact
        words = texts.unique(maintain_order=True)
        place = texts.cast(pl.Enum(words)).to_physical().to_numpy() if len(words) else np.zeros(0, np.uint32)
        self._place.append(place.astype(np.int32) + np.int32(sum(map(len, self._texts))))
        self._texts.append(words.alias(name))

    def publish(self, *, as_values: bool) -> PublishedKey:
        """Return what each class is written as; as values of the column's kind where all cells are exact, if asked."""
        texts = pl.concat([pl.Series(self._rules.name, [], dtype=pl.String), *self._texts])
        texts = publish_classes(texts, self._rules, exact=self._exact, as_values=as_values)
        return PublishedKey(texts, np.concatenate([np.zeros(0, np.int32), *self._place]))


class PublishedKey:
    """What each class has in one key."""

    def __init__(self, texts: pl.Series, place: NDArray[np.int32]) -> None:
        self._texts, self._place = texts, place

    def take(self, owner: NDArray[np.int32]) -> pl.Series:
        """Return what rows of these classes have."""
        return self._texts.gather(self._place[owner])


def begin_texts(keys: Sequence[str], fields: Mapping[str, FieldRules]) -> dict[str, KeyTexts]:
    """Return the texts of keys of which no class is known yet."""
    return {name: KeyTexts(fields[name]) for name in keys}
