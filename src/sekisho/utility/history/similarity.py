"""Which items go with which: how far the item-item similarities of a release are from the original's.

A recommender that offers what similar items' buyers bought stores the cosine between item columns of the person x item
matrix. Three such matrices are compared, made from the units x that each person bought of each item in all:

========== ======================================================================================================
wholesale  ``min(6, floor(x / 12))``: dozens
retail     x, where x <= 11; larger totals are left out
top        1, for the original's 100 items with most buyers (of equals, the larger item string first)
========== ======================================================================================================

error = min(1, sum |W - W'| / sum W) over the pairs i != j that are non-zero in the original's W.

Only those pairs are ever computed: one pass over the items, each accumulating whole-number dot products with the items
after it.

Source: PWS Cup 2018, report, section 6.1.3 (its text omits the cap of 6 that its figures have), after PWS Cup 2017;
Linden, Smith, York, "Amazon.com recommendations", IEEE Internet Computing 7(1), 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, triu

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.utility.score import Score
from sekisho.words import Said


class View(StrEnum):
    """Whose recommendations are wanted."""

    WHOLESALE = "wholesale"
    RETAIL = "retail"
    TOP = "top"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ItemSimilarity:
    """The error of one of the three similarity matrices.

    Attributes:
        view: which matrix.
        pack: units that make one wholesale pack.
        most: packs above this count as this many.
        single: the largest total that is still retail.
        top: how many items the top view keeps.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    view: View = View.WHOLESALE
    pack: int = 12
    most: int = 6
    single: int = 11
    top: int = 100

    def __post_init__(self) -> None:
        for name in ("pack", "most", "single", "top"):
            if getattr(self, name) < 1:
                raise ParameterError(name, Said("be at least 1"), getattr(self, name))

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the error of a release whose cells are exact; draw from any other first."""
        return Score(value=self.build_reference(Purchases.of(original)).error(Purchases.from_release(released)))

    def build_reference(self, original: Purchases) -> SimilarityReference:
        """Return the original's matrix, made ready for many comparisons."""
        count = self.top if self.view is View.TOP else len(original.items)
        chosen = np.sort(original.find_most_bought(count))
        matrix = self.build_weights(original.totals, chosen)
        products = csr_array(triu(csr_array(matrix.T) @ matrix, k=1))
        products.sort_indices()
        scale = _compute_scales(matrix)
        owner = np.repeat(np.arange(len(chosen)), np.diff(products.indptr))
        return SimilarityReference(
            measure=self,
            chosen=chosen,
            starts=products.indptr.astype(np.int64),
            others=products.indices.astype(np.int32),
            values=products.data * scale[owner] * scale[products.indices],
        )

    def build_weights(self, totals: csr_array, chosen: NDArray[np.int64]) -> csr_array:
        """Return the person x item matrix whose columns are compared, of the chosen items only."""
        counts = totals.data
        if self.view is View.WHOLESALE:
            weights = np.minimum(counts // self.pack, self.most)
        elif self.view is View.RETAIL:
            weights = np.where(counts <= self.single, counts, 0)
        else:
            weights = (counts > 0).astype(np.int64)
        matrix = csr_array((weights, totals.indices.copy(), totals.indptr.copy()), shape=totals.shape)
        if len(chosen) < totals.shape[1]:
            matrix = csr_array(matrix[:, chosen])
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimilarityReference:
    """The original's non-zero similarities W[i, j], i < j, row by row; W is symmetric, so half of it tells all."""

    measure: ItemSimilarity
    chosen: NDArray[np.int64]
    starts: NDArray[np.int64]
    others: NDArray[np.int32]
    values: NDArray[np.float64]

    def error(self, sample: Purchases) -> float:
        """Return the error of plain purchases; 0 where the original has no similar pair at all."""
        whole = float(self.values.sum())
        if whole == 0:
            return 0.0
        matrix = self.measure.build_weights(sample.totals, self.chosen)
        columns = csc_array(matrix)
        distance = _sum_distances(
            (matrix.indptr, matrix.indices, matrix.data),
            (columns.indptr, columns.indices, columns.data),
            _compute_scales(matrix),
            (self.starts, self.others, self.values),
        )
        return min(1.0, float(distance) / whole)


def _compute_scales(matrix: csr_array) -> NDArray[np.float64]:
    """Return one over each column's length, 0 for an empty column."""
    weights = matrix.data.astype(np.float64) ** 2
    squares = np.bincount(matrix.indices, weights=weights, minlength=matrix.shape[1]).astype(np.float64)
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


Compressed: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


@njit(cache=True, nogil=True)
def _sum_distances(
    persons: Compressed,
    columns: Compressed,
    scale: NDArray[np.float64],
    reference: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]],
) -> float:
    """Return sum |W - W'| over the reference's pairs i < j, without ever holding W'.

    Item by item, the dot products with all later items are summed up over the item's buyers. Items are met in ascending
    order, so each buyer's place in his own sorted row only moves on.
    """
    row_start, row_item, row_value = persons
    column_start, column_person, column_value = columns
    starts, others, values = reference
    place = row_start[:-1].astype(np.int64)
    product = np.zeros(len(scale), dtype=np.int64)
    distance = 0.0
    for i in range(len(scale)):
        for entry in range(column_start[i], column_start[i + 1]):
            person, weight = column_person[entry], column_value[entry]
            place[person] += 1  # past item i itself
            for later in range(place[person], row_start[person + 1]):
                product[row_item[later]] += weight * row_value[later]
        for pair in range(starts[i], starts[i + 1]):
            j = others[pair]
            distance += abs(values[pair] - product[j] * scale[i] * scale[j])
        product[i + 1 :] = 0
    return distance
