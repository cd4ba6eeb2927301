"""Whether a person is in the file, for one who knows every other record of it: a ratio of permanents.

He knows n - 1 records of the file, what was done (``A``, the chance that a record u is released as y; m of n rows are
kept, drawn evenly, and shuffled), and asks whether the last record is x. With

    F(x) = product over the known records of (1 + sum over y of A[u, y] x_y),        c_y how often y was released,

where 1 stands for being left out, P(release | the last record is v) is, up to a factor that v does not change,

    G(v) = [x^c] F + sum over y of A[v, y] [x^(c - e_y)] F,        ratio(x) = G(x) / sum over v of p_v G(v),

p the shares of a reference, from which the last record is drawn if it is not his. Released values that no record can
both become lie in components of their own, over which F is a product: where records become one value each (a sample, a
fixed recoding) every component has one value. Work: by component as :mod:`sekisho.attack.records.posterior`.

Members are asked with all others known; controls with all but one, drawn for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from sekisho.attack.records.membership_likelihood import HALF, ChanceMechanism, ColumnCells, find_distinct
from sekisho.attack.records.posterior import count_exact_steps, list_coefficients
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import ParameterError
from sekisho.safety.transition import Floats
from sekisho.words import Said

MOST_STEPS = 3e8
"""So many steps the coefficients of a component may take."""
MOST_CHANCES = 2e7
"""So many chances, distinct records by distinct rows, are held at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownFile:
    """A release as one sees it who knows all records of the file but one.

    Attributes:
        chances: A of the distinct records of the file and the distinct released rows.
        people: how many records of the file are alike.
        released: how many rows are alike.
    """

    chances: Floats
    people: NDArray[np.int64]
    released: NDArray[np.int64]

    def list_ends(self) -> tuple[Floats, Floats]:
        """Return, without one record of each kind, the coefficients at c and at c - e_y; their scale means nothing.

        Raises:
            ParameterError: they cannot be computed in reasonable time.
        """
        kinds, rows = self.chances.shape
        whole, ends = np.ones(kinds), np.zeros((kinds, rows))
        shares = np.zeros(rows)  # of the whole component: the coefficient at c - e_y over that at c
        owner_kind, owner_row = self._find_components()
        for part in np.unique(owner_row).tolist():
            mine, theirs = np.flatnonzero(owner_kind == part), np.flatnonzero(owner_row == part)
            people, released = self.people[mine], self.released[theirs]
            steps = count_exact_steps(people, released)
            if steps > MOST_STEPS:
                rule = Said("be one: {steps} steps are too many to know every other record", steps=f"{steps:.3g}")
                raise ParameterError("people", rule, "others")
            without, everybody = list_coefficients(self.chances[np.ix_(mine, theirs)], people, released)
            whole[mine] = without[:, 0]
            ends[np.ix_(mine, theirs)] = without[:, 1:]
            shares[theirs] = everybody[1:] / everybody[0] if everybody[0] else 0.0
        elsewhere = owner_kind[:, None] != owner_row[None, :]
        return whole, np.where(elsewhere, whole[:, None] * shares, ends)

    def _find_components(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the component of each kind of record and of each row."""
        kinds, rows = self.chances.shape
        one, two = np.nonzero(self.chances)
        links = scipy.sparse.csr_matrix((np.ones(len(one)), (one, two + kinds)), shape=(kinds + rows, kinds + rows))
        owner = scipy.sparse.csgraph.connected_components(links, directed=False)[1].astype(np.int64)
        return owner[:kinds], owner[kinds:]


def compute_known_ratios(
    release: MaskedTable,
    file: Dataset,
    asked: tuple[Dataset, Dataset],
    reference: Dataset,
    mechanism: ChanceMechanism,
    *,
    columns: Sequence[str],
    rng: np.random.Generator,
    added: float = HALF,
) -> tuple[Floats, Floats]:
    """Return the ratios of members, and of people who are not in the file, for one who knows all other records.

    Args:
        release: what is published.
        file: all records that it was made from.
        asked: members and controls.
        reference: other people of the same population.
        mechanism: what was done.
        columns: that are known of people.
        rng: draws whose place a control is tried in.
        added: how much of a record that fits best is added to the reference.
    """
    if len(file) != mechanism.records or len(release) > len(file):
        rule = Said("be at least the released rows ({rows:,})", rows=len(release))
        raise ParameterError("records", rule, mechanism.records)
    everybody = (file, *asked, reference)
    parts = [ColumnCells.of(release, everybody, name) for name in columns]
    tables = [mechanism.make_table(name, part) for name, part in zip(columns, parts, strict=True)]
    row, weight = find_distinct([part.cell for part in parts])
    bounds = np.cumsum([0, *map(len, everybody)]).tolist()
    who, again = np.unique(np.stack([part.value for part in parts], axis=1), axis=0, return_inverse=True)
    kind = again.reshape(-1)
    if len(who) * len(row) > MOST_CHANCES:
        rule = Said("be one: {steps} steps are too many to know every other record", steps=f"{len(who) * len(row):.3g}")
        raise ParameterError("people", rule, "others")
    chances = np.ones((len(who), len(row)))
    for at, (table, part) in enumerate(zip(tables, parts, strict=True)):
        chances *= table[who[:, at]][:, part.cell[row]]
    in_file, members, controls, known = (kind[low:high] for low, high in pairwise(bounds))
    distinct, place, people = np.unique(in_file, return_inverse=True, return_counts=True)
    seen = KnownFile(chances=chances[distinct], people=people.astype(np.int64), released=weight.astype(np.int64))
    whole, ends = seen.list_ends()
    mixture = (chances[known].sum(axis=0) + added * chances.max(axis=0)) / (len(known) + 2 * added)
    drawn_from = whole + ends @ mixture
    own = np.searchsorted(distinct, members)
    instead = place.reshape(-1)[rng.integers(0, len(file), len(controls))]
    ratios = [
        (whole[of] + (chances[kinds] * ends[of]).sum(axis=1)) / np.maximum(drawn_from[of], 1e-300)
        for kinds, of in ((members, own), (controls, instead))
    ]
    return ratios[0], ratios[1]
