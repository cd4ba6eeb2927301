"""One part of the records, finished: a pure function of its distinct records, fit to be sent to another machine.

What a part needs to know of the whole file is in :class:`PartTask`: the key space, what a class must keep, how long to
search. The randomness of a part depends on the seed and the part's name alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import process_time

from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.key_space import KeySpace, Records
from sekisho.protect.records.recoding.recoded import CodedClasses
from sekisho.protect.records.recoding.search import Problem, RecodedClasses, search_classes
from sekisho.protect.records.streamed.local_space import shrink_space
from sekisho.seeds import Seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartTask:
    """What the search of a part needs to know of the whole file.

    Attributes:
        space: of the keys.
        rule: what a class must keep.
        strict: whether cuts lie between different values alone.
        room: how many records of the whole file may be left out.
        looks: how many looks at a class the whole file may take.
        seconds: how many CPU seconds; None for no limit.
        records: how many there are in the whole file.
        seed: of the search.
    """

    space: KeySpace
    rule: ClassRule
    strict: bool
    room: int
    looks: int
    seconds: float | None
    records: int
    seed: Seed

    def search(self, records: Records) -> RecodedClasses:
        """Return the classes of a part: with its share of the looks, the seconds and the room to leave records out."""
        rows = int(records.copies.sum())
        local = shrink_space(self.space, records.codes)
        problem = Problem(
            space=local.space,
            records=records._replace(codes=local.codes),
            rule=self.rule,
            room=self.room * rows // self.records,
            strict=self.strict,
        )
        start, looks = process_time(), self.looks * rows // self.records
        limit = None if self.seconds is None else self.seconds * rows / self.records
        steps = search_classes(problem, looks=looks, rng=self.seed.rng())
        grouping = next(steps)
        while limit is None or process_time() - start <= limit:
            better = next(steps, None)
            if better is None:
                break
            grouping = better
        return grouping

    def find_classes(self, records: Records, keys: tuple[KeyColumn, ...]) -> CodedClasses:
        """Return the same with what the members of a class share in the keys."""
        problem = Problem(space=self.space, records=records, rule=self.rule)
        return CodedClasses(keys=keys, problem=problem, grouping=self.search(records))

    def name_part(self, place: int) -> PartTask:
        """Return the task of one part of several: its randomness is its own."""
        return replace(self, seed=self.seed.child(f"part {place}"))
