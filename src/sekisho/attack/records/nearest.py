"""Name the nearest rows: the organisers' sample attack.

The adversary holds the original values of some records and believes that protection moves records little. He names the
three rows nearest by one-hot Euclidean distance; a record whose nearest row is farther than the median of all is "not a
member". Without the cut he calls everyone a member, which is sure of recall 1 and precision 1/2.

Source: PWS Cup 2021, programs attack.py and rlink.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sekisho.attack.guess import Guess
from sekisho.attack.records.row_scores import LinkageAdversary, call_everyone, call_only, pick_best_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.partners import squares
from sekisho.parameters import checked


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearestRows(LinkageAdversary):
    """The nearest rows; with ``cut``, records beyond the median distance are called non-members.

    Source: PWS Cup 2021, programs attack.py and rlink.py.
    """

    cut: bool = field(default=True, metadata={"help": "Call the records beyond the median distance non-members."})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the nearest rows."""
        people, rows = self.read_points(release, knowledge)
        distance = squares(people, rows)
        candidates = pick_best_rows(-distance, rng=rng, answers=self.count())
        if not self.cut:
            return call_everyone(candidates)
        nearest = np.sqrt(distance.min(axis=1).astype(np.float64))
        return call_only(candidates, nearest <= np.median(nearest))
