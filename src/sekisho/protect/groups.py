"""k-anonymous histories with the least loss: customers form groups whose published rows are the same.

Against whom: an adversary who knows every row of every customer. All members of a group publish the same rows (as multisets), so nothing
in the release tells them apart, and he names one rightly with chance at most 1/k.

What is minimised: U of the contest of 2018, the mean cell error. Rows of a group are aligned so that the cells that cover them cost least;
each cell takes the cheapest range or set, or ``*`` if that is cheaper; surplus rows of longer histories are deleted.

Source: PWS Cup 2018, report, sections 2.4.2 (U) and 5 (the winners' optimal 2-anonymous release); proofs in docs/proofs/history-groups.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import process_time

import numpy as np
from numpy.typing import NDArray

from sekisho.data.dataset import Dataset
from sekisho.data.release import Release
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.group_costs import shares
from sekisho.protect.group_pairing import PairCosts, best_pairing
from sekisho.protect.group_rows import laid_out
from sekisho.protect.group_walk import Polish, improved, insert
from sekisho.protect.history import LARGEST_SET, MAX_SET, History, alike, released
from sekisho.provenance import Provenance, parameters_of
from sekisho.seeds import SEED_BITS, Seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """How far the search is.

    Attributes:
        seconds: CPU seconds since the start.
        utility: U of the best release so far; its alignments are polished when it is made, so it may turn out a little better.
        bound: U that no release of this kind can be below; for k = 2 and an even number of customers: none that pairs them.
        release: makes the best release so far.
    """

    seconds: float
    utility: float
    bound: float
    release: Callable[[], Release]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Publish the same rows for all members of groups of k or more customers, losing as little as possible.

    k = 2 and an even number of customers: the cheapest pairing, proven. Otherwise a search, whose length ``effort`` counts in
    millions of row-to-slot costs, so that the same seed gives the same release on every machine; a thousand millions take very
    roughly 40 CPU seconds. ``seconds`` may stop it earlier; a release that was cut short so depends on the machine's speed.

    Source: PWS Cup 2018, report, sections 2.4.2 and 5; the search: Kirkpatrick et al. 1983 (see group_search).
    """

    k: int = field(default=3, metadata={"help": "Least number of customers whose published rows are the same."})
    effort: float = field(default=4000.0, metadata={"help": "Length of the search, in millions of row-to-slot costs."})
    seconds: float | None = field(
        default=None, metadata={"help": "Stop the search after so many CPU seconds, whatever the effort left."}
    )
    max_set: int | None = field(default=None, metadata={"help": LARGEST_SET})

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", "be 1 or more", self.k)
        if not self.effort >= 0:
            raise ParameterError("effort", "be 0 or more", self.effort)
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError("seconds", "be above 0", self.seconds)
        if self.max_set is not None and self.max_set < 1:
            raise ParameterError("max_set", "be 1 or more", self.max_set)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the best release that the effort finds.

        Raises:
            InfeasibleError: there are fewer than k customers.
        """
        *_, last = self.improve(data, rng=rng)
        return last.release()

    def improve(self, data: Dataset, *, rng: np.random.Generator) -> Iterator[Step]:
        """Give better and better releases; every step holds a valid one, so the search may be left at any time."""
        start = process_time()
        history = History.of(data)
        if history.people < self.k:
            raise InfeasibleError(f"{history.people} customers cannot form a group of {self.k}")
        names = Seed(int(rng.integers(2**SEED_BITS)))
        rows = laid_out(history, max_set=self.max_set or MAX_SET)
        cells = len(data) * max(1, len(data.schema.attributes))
        polish = Polish(rows)
        for groups, cost, bound in self._found(polish, rng):
            spent = process_time() - start
            yield Step(
                seconds=spent,
                utility=cost / cells,
                bound=bound / cells,
                release=lambda groups=groups: self._release(history, polish, groups, names),
            )
            if self.seconds is not None and spent > self.seconds:
                return

    def _found(
        self, polish: Polish, rng: np.random.Generator
    ) -> Iterator[tuple[list[NDArray[np.int64]], float, float]]:
        """Give groups, their cost, and a lower bound of any grouping's cost."""
        rows = polish.rows
        people = len(rows.starts) - 1
        if self.k == 1:
            yield [np.array([one]) for one in range(people)], 0.0, 0.0
            return
        costs = PairCosts.of(rows)
        if self.k == 2 and people % 2 == 0:
            pairing = best_pairing(costs)
            yield list(pairing.pairs), pairing.cost, pairing.cost
            return
        near = np.sort(shares(rows), axis=1)[:, self.k - 2]
        bound = float(near.sum(dtype=np.float64))
        started = [insert(rows, costs)] if self.k == 2 else []
        for groups, cost in improved(polish, costs, k=self.k, effort=1e6 * self.effort, started=started, rng=rng):
            yield groups, cost, bound

    def _release(self, history: History, polish: Polish, groups: list[NDArray[np.int64]], names: Seed) -> Release:
        slot = np.full(len(history.order), -1, dtype=np.int64)
        used = 0
        for people in groups:
            _, aligned = polish.of(people)
            slot[history.order[aligned]] = np.arange(used, used + aligned.shape[1])
            used += aligned.shape[1]
        made_by = Provenance(name="groups", parameters=parameters_of(self))
        return released(
            history.data,
            alike(history.data, slot, max_set=self.max_set or MAX_SET, widen=True),
            slot < 0,
            made_by,
            rng=names.rng(),
        )
