"""What the classes of all parts are written as: every distinct text of a key is held once for each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.files.published_frame import publish_exact
from sekisho.data.frame.cells import RangeCells
from sekisho.protect.records.recoding.recoded import CodedClasses


class KeyTexts:
    """The texts of one key, of all classes so far."""

    def __init__(self, rules: FieldRules) -> None:
        self._rules, self._exact = rules, True
        self._texts: list[pl.Series] = []
        self._place: list[NDArray[np.int32]] = []

    def add(self, classes: CodedClasses) -> None:
        """Add the classes of a part."""
        name = self._rules.name
        cells, labels = classes.cells[name], classes.labels.get(name)
        self._exact &= labels is None and bool(cells.is_exact().all())
        texts = write_cells(cells, self._rules, Grammar()) if labels is None else labels
        words = texts.unique(maintain_order=True)
        place = texts.cast(pl.Enum(words)).to_physical().to_numpy() if len(words) else np.zeros(0, np.uint32)
        self._place.append(place.astype(np.int32) + np.int32(sum(map(len, self._texts))))
        self._texts.append(words.alias(name))

    def publish(self, *, as_values: bool) -> PublishedKey:
        """Return what each class is written as; as values of the column's kind where all cells are exact, if asked."""
        texts = pl.concat([pl.Series(self._rules.name, [], dtype=pl.String), *self._texts])
        if self._exact and not self._rules.kind.numeric:
            texts = self._rules.writing.restore(texts).alias(self._rules.name)
        elif self._exact and as_values:
            texts = publish_exact(self._rules.column, RangeCells.exact(self._rules.read_values(texts)[0]))
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
