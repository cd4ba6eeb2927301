"""t-closeness: in every class the sensitive values are spread nearly as in the whole release.

Against whom: one who knows a person's keys and that he is in the release. What he learns about the sensitive value
beyond what the whole release tells everybody is the distance between q, the shares in the person's class, and p, those
in the release; it is t at most. Both are shares among the known values: a cell that is missing or suppressed tells
nothing, nor does a class without a known value. The distance is the earth mover's, with a cost between values:

- equal: every two values are 1 apart: the distance is the total variation, sum of max(qi - pi, 0).
- ordered: values i and j of m ordered ones are |i - j| / (m - 1) apart: sum over i of |sum over j <= i of (qj - pj)|,
  divided by m - 1.
- hierarchical: values are as far apart as their lowest common code stands high, h / H: sum over inner codes N of
  h(N) / H times the smaller of what their children have too much and too little.

Source: Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007, definition 2
and sections 4.1 (numerical) and 4.2 (equal and hierarchical).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import CrossTable
from sekisho.safety.records.published import KEYS_HELP, SENSITIVE_HELP, add_unknown_classes, read_classes
from sekisho.words import Said

SLACK = 1e-12
BLOCK = 1 << 22
"""So many cells of classes by values are held at once."""


class Distance(StrEnum):
    """How far two sensitive values are apart."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


def measure_equal(table: CrossTable) -> NDArray[np.float64]:
    """Return for each class the distance to the whole where every two values are 1 apart."""
    share = table.count / table.sizes[table.owner]
    return table.sum_by_class(np.maximum(share - table.totals[table.value] / table.rows, 0.0))


def measure_ordered(table: CrossTable) -> NDArray[np.float64]:
    """Return for each class the distance to the whole where the values stand in their order.

    Between two values of a class its cumulated share does not change, so a stretch of values is summed at once: those
    whose cumulated share in the whole lies below it, and those above.
    """
    values = len(table.totals)
    if values == 1:
        return np.zeros(len(table.sizes))
    whole = np.cumsum(table.totals) / table.rows
    before = np.concatenate([[0.0], np.cumsum(whole)])
    running = np.cumsum(table.count)
    first = table.starts[:-1]
    reached = (running - (running[first] - table.count[first])[table.owner]) / table.sizes[table.owner]
    ends = np.append(table.value[1:], values)
    ends[table.starts[1:] - 1] = values
    begins = table.value
    # up to the first value of a class nothing of it is reached, so the whole's own shares are the difference
    sums = before[table.value[first]].copy()
    split = np.clip(np.searchsorted(whole, reached), begins, ends)
    below = reached * (split - begins) - (before[split] - before[begins])
    above = (before[ends] - before[split]) - reached * (ends - split)
    sums += table.sum_by_class(below + above)
    return sums / (values - 1)


def measure_hierarchical(table: CrossTable, tree: Tree, names: tuple[str | None, ...]) -> NDArray[np.float64]:
    """Return for each class the distance to the whole where the values are leaves of a tree.

    Raises:
        FaultsError: values are no leaves of the tree; all of them at once.
    """
    check_leaves(tree, names)
    places = np.array([tree.position[str(name)] for name in names])
    step = max(1, BLOCK // len(tree.codes))
    parts = [
        _measure_block(table, tree, places, low, min(low + step, len(table.sizes)))
        for low in range(0, len(table.sizes), step)
    ]
    return np.concatenate(parts)


def check_leaves(tree: Tree, names: tuple[str | None, ...]) -> None:
    """Refuse values that are no leaves of a tree.

    Raises:
        FaultsError: all of them at once.
    """
    leaves = set(tree.leaves)
    strange = [name for name in names if name is None or name not in leaves]
    if strange:
        raise FaultsError(
            Said("source|tree"),
            [
                Fault(
                    row=0,
                    column="",
                    rule="leaf",
                    value=str(name),
                    message=Said("the value {name!r} is no leaf", name=name),
                )
                for name in strange
            ],
        )


def _measure_block(
    table: CrossTable, tree: Tree, places: NDArray[np.int64], low: int, high: int
) -> NDArray[np.float64]:
    pairs = slice(table.starts[low], table.starts[high])
    owner = table.owner[pairs]
    extra = np.zeros((len(tree.codes), high - low))
    extra[places] = -(table.totals / table.rows)[:, None]
    np.add.at(extra, (places[table.value[pairs]], owner - low), table.count[pairs] / table.sizes[owner])
    heights = measure_heights(tree)
    costs, surplus, lack = np.zeros(high - low), np.zeros_like(extra), np.zeros_like(extra)
    for place in range(len(tree.codes) - 1, -1, -1):  # children stand behind their parents
        costs += heights[place] * np.minimum(surplus[place], lack[place])
        parent = tree.parents[place]
        if parent >= 0:
            extra[parent] += extra[place]
            surplus[parent] += np.maximum(extra[place], 0.0)
            lack[parent] += np.maximum(-extra[place], 0.0)
    return costs


def measure_heights(tree: Tree) -> NDArray[np.float64]:
    """Return for each code how high it stands above its lowest leaf, the root being 1."""
    heights = np.zeros(len(tree.codes))
    for place in range(len(tree.codes) - 1, 0, -1):
        parent = tree.parents[place]
        heights[parent] = max(heights[parent], heights[place] + 1)
    return heights / max(1.0, heights[0])


MOST_DISTANCE = 0.5
"""A class that may be farther from the whole than this tells of nobody that it is not all one value."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TCloseness:
    """In every class of equal keys the sensitive values are spread within t of the whole release.

    Source: Li, Li, Venkatasubramanian, ICDE 2007.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    t: float = field(
        default=0.2, metadata={"help": "The largest distance of a class from the whole, 0 to 1.", "recipe": "t"}
    )
    distance: Distance = field(
        default=Distance.EQUAL,
        metadata={
            "help": "equal, or ordered for numbers and dates; a tree makes its own.",
            "recipe": "t_distance",
            "detail": True,
            "numeric": Distance.ORDERED,
        },
    )
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    sensitive: str = field(default="", metadata={"help": SENSITIVE_HELP})
    tree: Tree | None = field(default=None, metadata={"help": "Of hierarchical: a tree of the sensitive values."})

    def __post_init__(self) -> None:
        if not 0 <= self.t < 1:
            raise ParameterError("t", Said("lie between 0 and below 1, where every class does"), self.t)
        if (self.tree is not None) != (self.distance is Distance.HIERARCHICAL):
            raise ParameterError(
                "tree", Said("be given for the hierarchical distance, and only for it"), self.distance.value
            )

    @property
    def covers(self) -> Coverage:
        """What is learnt, unless a class may be so far from the whole that hardly anything is asked for."""
        return Coverage.SECRET if self.t <= MOST_DISTANCE else Coverage.OPEN

    def check(self, release: Release) -> Finding:
        """Return whether every class is close enough, and the farthest."""
        published = read_classes(release, self.keys, self.sensitive)
        column = release.table.schema[published.sensitive]
        cells = release.table.columns[column.name].take(~release.deleted)
        exact = bool(cells.is_exact().all())
        if self.distance is Distance.ORDERED and not (column.kind.numeric and exact):
            raise ParameterError("distance", Said("be equal for what is no number or date"), f"{column.name}, ordered")
        known, column_codes = published.count_known(), published.read_sensitive()
        table, unknown = known.table, column_codes.unknown
        if not len(table.sizes):
            return published.find_nothing(self.t)
        # where values are missing the equal distance is taken, which is never below the ordered one
        distance = Distance.EQUAL if bool(cells.is_missing().any()) and self.tree is None else self.distance
        if distance is Distance.EQUAL:
            found = measure_equal(table)
        elif self.tree is None:
            found = measure_ordered(table)
        else:
            names = tuple(name for name, skip in zip(column_codes.values, unknown, strict=True) if not skip)
            found = measure_hierarchical(table, self.tree, names)
        worst = int(found.argmax())
        words = tell_farthest_class(float(found[worst]), distance, self.t)
        return published.find(
            int(known.classes[worst]),
            kept=bool(found[worst] <= self.t + SLACK),
            figure=float(found[worst]),
            wanted=self.t,
            words=add_unknown_classes(words, known.unknown),
        )


def tell_farthest_class(farthest: float, distance: Distance, allowed: float) -> str:
    """Return the finding in words: how far the farthest class is from the whole, and what is allowed."""
    return Said(
        "the farthest class is {farthest:.4g} from the whole ({distance}), {allowed:g} is allowed",
        farthest=farthest,
        distance=distance,
        allowed=allowed,
    )
