"""Global recoding of tiny files by listing all originals: what each cell can still be, for three kinds of knowledge.

Nothing of the program is used. A file is a multiset of records (tuples of leaves), weighing as many ordered files as it
has orders. Of every vector of levels at which every class has k records, the release is the multiset of labels. Left
are the files that give this release by the rule (any such vector), by the least loss, or as the first of these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any

Row = tuple[int, ...]
File = tuple[Row, ...]
Vector = tuple[int, ...]
Labels = tuple[tuple[int, ...], ...]
"""Of a record by key the leaves that its cell admits."""
MODES = ("rule", "least", "tie")


@dataclass(frozen=True)
class LatticeCase:
    """A golden case: trees level by level as sets of leaves, how many records, k, and which loss."""

    trees: Sequence[Sequence[Sequence[Sequence[int]]]]
    records: int
    k: int
    loss: str

    @classmethod
    def read(cls, case: dict[str, Any]) -> LatticeCase:
        """Return a case as the shared data have it."""
        return cls(trees=case["trees"], records=case["records"], k=case["k"], loss=case["loss"])

    @cached_property
    def vectors(self) -> list[Vector]:
        """All vectors of levels, in lexicographic order."""
        return list(product(*(range(len(levels)) for levels in self.trees)))

    @cached_property
    def files(self) -> list[File]:
        """All files, each once."""
        leaves = product(*(range(sum(map(len, levels[0]))) for levels in self.trees))
        return list(combinations_with_replacement(list(leaves), self.records))

    @cached_property
    def _labels(self) -> dict[tuple[int, int, int], tuple[int, ...]]:
        return {
            (key, level, leaf): tuple(label)
            for key, levels in enumerate(self.trees)
            for level, labels in enumerate(levels)
            for label in labels
            for leaf in label
        }

    def write(self, row: Row, vector: Vector) -> Labels:
        """Return what a record is published as."""
        return tuple(self._labels[key, vector[key], leaf] for key, leaf in enumerate(row))

    def weigh(self, file: File) -> dict[Vector, Fraction]:
        """Return the loss at every vector at which every class has k records."""
        losses: dict[Vector, Fraction] = {}
        for vector in self.vectors:
            sizes = Counter(self.write(row, vector) for row in file)
            if min(sizes.values()) >= self.k:
                losses[vector] = self._lose(vector, sizes)
        return losses

    def _lose(self, vector: Vector, sizes: Counter[Labels]) -> Fraction:
        tops = [len(levels) - 1 for levels in self.trees]
        if self.loss == "levels":
            return sum((Fraction(level, top) for level, top in zip(vector, tops, strict=True)), Fraction(0))
        leaves = [sum(map(len, levels[0])) for levels in self.trees]
        return sum(
            (
                size * Fraction(len(label) - 1, leaves[key] - 1)
                for labels, size in sizes.items()
                for key, label in enumerate(labels)
            ),
            Fraction(0),
        )

    @cached_property
    def chosen(self) -> dict[str, dict[File, tuple[Vector, ...]]]:
        """By knowledge, the vectors at which each file may be published."""
        found: dict[str, dict[File, tuple[Vector, ...]]] = {mode: {} for mode in MODES}
        for file in self.files:
            losses = self.weigh(file)
            best = [vector for vector in losses if losses[vector] == min(losses.values())]
            for mode, vectors in zip(MODES, (list(losses), best, best[:1]), strict=True):
                found[mode][file] = tuple(vectors)
        return found

    def group(self, mode: str) -> dict[tuple[Vector, tuple[Labels, ...]], list[File]]:
        """Return the releases, each with the files that are left of it."""
        groups: dict[tuple[Vector, tuple[Labels, ...]], list[File]] = defaultdict(list)
        for file, vectors in self.chosen[mode].items():
            for vector in vectors:
                groups[vector, tuple(sorted(self.write(row, vector) for row in file))].append(file)
        return groups

    def sum_cells(self, mode: str) -> dict[str, object]:
        """Return what the golden data have: cells, narrowed, known, the best guess and that of the rule."""
        cells = narrowed = known = 0
        best = by_rule = Fraction(0)
        for (vector, release), files in self.group(mode).items():
            whole = sum(map(count_orders, files))
            for labels in sorted(set(release)):
                size = release.count(labels)
                for key, label in enumerate(labels):
                    if len(label) == 1:
                        continue
                    held = self._count_leaves(files, vector, labels, key)
                    cells += whole * size
                    narrowed += whole * size * (len(held) < len(label))
                    known += whole * size * (len(held) == 1)
                    best += Fraction(max(held.values()))
                    by_rule += Fraction(whole * size, len(label))
        return {
            "cells": cells,
            "narrowed": narrowed,
            "known": known,
            "guess": str(best / cells),
            "guess_rule": str(by_rule / cells),
            "all_but_one": self.sum_others(mode),
        }

    def _count_leaves(self, files: Sequence[File], vector: Vector, labels: Labels, key: int) -> Counter[int]:
        """Return how many records of a class, over all ordered files that are left, have each leaf."""
        held: Counter[int] = Counter()
        for file in files:
            for row in file:
                if self.write(row, vector) == labels:
                    held[row[key]] += count_orders(file)
        return held

    def sum_others(self, mode: str) -> dict[str, int]:
        """Return what one knows who knows every other record: records narrowed, and with one combination left."""
        sums = {"records": 0, "narrowed": 0, "known": 0}
        chosen = self.chosen[mode]
        for file, vectors in chosen.items():
            for vector, place in product(vectors, range(len(file))):
                admitted = list(product(*self.write(file[place], vector)))
                if len(admitted) == 1:
                    continue
                tried = [tuple(sorted((*file[:place], other, *file[place + 1 :]))) for other in admitted]
                left = sum(vector in chosen[other] for other in tried)
                orders = count_orders(file)
                sums["records"] += orders
                sums["narrowed"] += orders * (left < len(admitted))
                sums["known"] += orders * (left == 1)
        return sums


def count_orders(file: File) -> int:
    """Return in how many orders a file may stand."""
    return factorial(len(file)) // prod(map(factorial, Counter(file).values()))
