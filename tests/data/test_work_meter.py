"""What is said of the time that is left rests on units of work that were done, and on nothing else."""

from __future__ import annotations

import pytest

from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.data.work_meter import WorkMeter, advance_part, begin_part, estimate_remaining, meter_work
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed


@pytest.mark.parametrize(
    ("done", "total", "seconds", "remaining"),
    [(1, 4, 10, 30), (3, 4, 30, 10), (4, 4, 40, 0), (0, 4, 99, None), (0, 0, 99, None), (0.5, 2, 1, 3)],
)
def test_the_rest_takes_as_long_by_unit_as_what_is_done(
    done: float, total: float, seconds: float, remaining: float | None
) -> None:
    assert estimate_remaining(done=done, total=total, seconds=seconds) == remaining


def test_a_part_says_its_name_until_a_unit_is_done_and_another_part_begins_anew() -> None:
    now = [100.0]
    meter = WorkMeter(clock=lambda: now[0])
    assert meter.describe() == ""
    with meter_work(meter):
        begin_part("search", 8.0)
        now[0] += 6
        assert meter.describe() == "search"
        advance_part(2.0)
        assert meter.describe() == "search: 25% done, about 18 s to its end"
        begin_part("attack")
        advance_part(1.0)
        assert meter.describe() == "attack"
    begin_part("unseen")
    assert meter.describe() == "attack"


def test_blocks_are_counted_by_their_work_and_all_of_them_are_the_whole() -> None:
    shares = list[tuple[str, int]]()

    class Noting(WorkMeter):
        def advance(self, units: float) -> None:
            super().advance(units)
            part, _, rest = self.describe().partition(": ")
            shares.append((part, int(rest.split("%")[0] or 0)))

    meter = Noting()
    data = SyntheticHistory(customers=36).draw(rng=Seed(1).rng())
    with meter_work(meter):
        release = Groups(k=3, block=12, effort=1).apply(data, rng=Seed(1).rng())
    plain = Groups(k=3, block=12, effort=1).apply(data, rng=Seed(1).rng())
    assert release.deleted.tolist() == plain.deleted.tolist()
    for number in (1, 2):
        pass_shares = [share for part, share in shares if part == f"groups in blocks, pass {number} of 2"]
        assert len(pass_shares) > 2
        assert pass_shares == sorted(pass_shares)
        assert pass_shares[-1] == 100
