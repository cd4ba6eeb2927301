"""How `groups` and the maximum-knowledge attack grow: 1,000, 10,000 and 100,000 customers of a synthetic shop.

Each size runs in a process of its own, whose CPU seconds and peak memory are taken from outside. Asked for are CPU
seconds per step, U, and how many candidates the attack leaves. Results go to ``bench/histories_scale.json``, which
keeps the sizes that were not run this time; ``--figures FOLDER`` draws them. The largest takes more than half an hour on two
free cores: it is run only when asked for, ``python bench/histories_scale.py --sizes 100000``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import TypeVar

import numpy as np

from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.groups import Groups, GroupsProgress
from sekisho.report.figures.gallery import Axis, LineChart, Series, draw_standalone
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError
from sekisho.words import Said, bilingual

HERE = Path(__file__).parent
RESULTS = HERE / "histories_scale.json"
K, BLOCK, EFFORT = 3, 300, 4000.0
R = TypeVar("R")


class Steps:
    """CPU seconds by step, and the process's peak memory in megabytes after each, told as they come."""

    def __init__(self) -> None:
        self.seconds = dict[str, float]()
        self.peaks = dict[str, int]()

    def run(self, name: str, work: Callable[[], R]) -> R:
        """Do some work and note what it took."""
        start = process_time()
        result = work()
        self.seconds[name] = round(process_time() - start, 2)
        self.peaks[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{name}: {self.seconds[name]} CPU s, {self.peaks[name]} MB", file=sys.stderr, flush=True)
        return result


def measure_size(customers: int, *, attack: bool) -> dict[str, object]:
    """Protect one shop, measure what is left of it, and look for candidates; the steps' CPU seconds."""
    steps = Steps()
    steps.run("compile", lambda: protect(SyntheticHistory(customers=40).draw(rng=Seed(1).rng()), block=9, passes=[]))
    data = steps.run("draw", lambda: SyntheticHistory(customers=customers).draw(rng=Seed(5).rng()))
    passes = list[dict[str, float]]()
    step = steps.run("search", lambda: protect(data, block=BLOCK, passes=passes))
    release = steps.run("release", step.release)
    utility = steps.run("utility", lambda: CellError().compare(data, release).value)
    answer: dict[str, object] = {
        "customers": customers,
        "rows": len(data),
        "k": K,
        "utility": utility,
        "published_share": float(np.mean(~release.deleted)),
        "detail": dict(release.detail),
        "passes": passes,
        "first_pass_cpu_seconds": passes[0]["cpu_seconds"],
    }
    if attack:
        answer |= steps.run("candidates", lambda: count_candidates(data, release))
    return answer | {"cpu_seconds_by_step": steps.seconds, "peak_megabytes_after_step": steps.peaks}


def protect(data: Dataset, *, block: int, passes: list[dict[str, float]]) -> GroupsProgress:
    """Return the last step of the search; tell each one's U and CPU seconds."""
    last = None
    for last in Groups(k=K, block=block, effort=EFFORT).improve(data, rng=Seed(1).rng()):
        passes.append({"utility": last.utility, "cpu_seconds": round(last.seconds, 1)})
        print(f"U {last.utility:.5f} after {last.seconds:.0f} CPU s", file=sys.stderr, flush=True)
    assert last is not None
    return last


def count_candidates(data: Dataset, release: Release) -> dict[str, object]:
    """Return the classes of twins and how many candidates pseudonyms have."""
    candidates = find_candidates(sort_published(release.table, data, deleted=release.deleted), sort_known(data))
    counts = candidates.counts()
    return {
        "classes": len(candidates.example),
        "least_class": int(candidates.sizes().min()),
        "candidates_mean": float(counts.mean()),
        "candidates_most": int(counts.max()),
    }


def run_child(customers: int, *, attack: bool) -> dict[str, object]:
    """Measure one size in a process of its own, from outside."""
    command = [sys.executable, __file__, "--child", str(customers), *([] if attack else ["--no-attack"])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        answer: dict[str, object] = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    rows = answer["rows"]
    assert isinstance(rows, int)
    return answer | {
        "cpu_seconds": round(seconds, 1),
        "peak_megabytes": usage.ru_maxrss // 1024,
        "rows_per_cpu_second": round(rows / seconds),
    }


def draw_growth(results: list[dict[str, object]]) -> dict[str, LineChart]:
    """Return the pictures: CPU seconds of the first pass and of all, and memory, over customers."""
    first = _trace(results, "first_pass_cpu_seconds", bilingual("first pass", "一巡目"))
    whole = _trace(results, "cpu_seconds", bilingual("all that was run", "実行した全体"))
    memory = _trace(results, "peak_megabytes", bilingual("peak memory", "最大メモリ"))
    desc = bilingual("Over the number of customers, both in powers of ten.", "顧客数に対する値。両軸とも 10 の冪。")
    x = Axis(label=bilingual("customers", "顧客数"), log=True)
    seconds, megabytes = bilingual("CPU seconds", "CPU 時間（秒）"), bilingual("peak memory in MB", "最大メモリ（MB）")
    return {
        "cpu": LineChart(title=seconds, desc=desc, x=x, y=Axis(label=seconds, log=True), series=(first, whole)),
        "memory": LineChart(title=megabytes, desc=desc, x=x, y=Axis(label=megabytes, log=True), series=(memory,)),
    }


def _trace(results: list[dict[str, object]], key: str, name: Said) -> Series:
    """Return a line over the sizes at which something was measured."""
    points = [(float(str(one["customers"])), float(str(one[key]))) for one in results if key in one]
    return Series(name=name, x=tuple(x for x, _ in points), y=tuple(y for _, y in points), dots=True)


def main() -> None:
    """Run the sizes asked for, keep the results, draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--no-attack", action="store_true")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(measure_size(options.child, attack=not options.no_attack)))
        return
    kept = {one["customers"]: one for one in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
    for size in options.sizes:
        kept[size] = run_child(size, attack=not options.no_attack)
        print(json.dumps(kept[size]), flush=True)
        RESULTS.write_text(json.dumps([kept[one] for one in sorted(kept)], indent=1) + "\n")
    if options.figures is not None:
        pictures = draw_growth([kept[one] for one in sorted(kept)])
        write_whole(
            {
                options.figures / f"histories-{name}.svg": draw_standalone(picture).encode()
                for name, picture in pictures.items()
            }
        )


if __name__ == "__main__":
    main()
