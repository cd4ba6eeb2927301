"""Who is who: what the referee alone may know.

Each pseudonym's person is the original's customer in the first undeleted row that has the pseudonym.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import BugError


@dataclass(frozen=True, slots=True)
class Truth:
    """Pseudonym to customer."""

    owner: Mapping[int, str]

    @classmethod
    def of(cls, original: Dataset, release: Release) -> Truth:
        """Return the truth about a release."""
        holder, pseudonym = original.schema.identifier, release.table.pseudonym
        if holder is None or pseudonym is None:
            raise BugError("truth asked of data whose rows belong to nobody")
        kept = np.flatnonzero(~release.deleted)
        names, first = np.unique(pseudonym[kept], return_index=True)
        customers = original.frame[holder.name].gather(kept[first]).cast(str).to_list()
        return cls(dict(zip(names.tolist(), customers, strict=True)))
