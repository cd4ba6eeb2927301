"""The attack on attributes beside anonymeter's: the same releases, the same people, in one run.

``python bench/anonymeter_peer.py --peer .venv-anonymeter/bin/python [--seeds 3]`` (``make anonymeter`` builds the
environment) draws for each seed 20,108 of adult for the file, and 2,000 of them and 2,000 others to be attacked;
releases are files of single values, which is what anonymeter reads: the file as it is, half of it, PRAM, noise and rank
swapping. Both programs know seven keys and guess the occupation from the nearest rows: anonymeter from the first
nearest one, ours from the majority of all that are equally near. The intervals of both are held against R itself for
every outcome of 20 members and 20 controls, and of 50 and 50, over 11 x 11 rates. anonymeter's own data are not in its
package, so adult is taken. Written to ``bench/anonymeter_peer.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from verify.red_team.attribute import KEYS, MEMBERS, SENSITIVE, AdultSplit, protect
from verify.red_team.intervals import SIZES, Ends, bound_ratio, measure_coverage

from sekisho.attack.records.attribute import AttributeAnswer, AttributeAttack
from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.protect import Method
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.rank_swap import RankSwap
from sekisho.protect.records.sample import Sample
from sekisho.safety.ratio_interval import RatioMethod
from sekisho.seeds import Seed

HERE = Path(__file__).parent
DATA = Path(os.environ.get("SEKISHO_DATA", "") or HERE.parents[1] / "shared" / "data") / "adult" / "adult.csv"
ATTACKED = 2_000


def list_methods() -> dict[str, Method | None]:
    """Return the ways to protect that leave single values."""
    return {
        "as it is": None,
        "sample, half": Sample(size=MEMBERS // 2),
        "PRAM, retention 0.8": Pram(retention=Fraction(4, 5)),
        "noise, age by Laplace of 0.2": Noise(epsilon={"age": 0.2}),
        "rank swapping, age within 5 %": RankSwap(keys=("age",), p=5.0),
    }


def run_seed(folder: Path, frame: pl.DataFrame, number: int, peer: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what both programs found in each release of a draw, and the peer's intervals."""
    seed = Seed(number)
    split = AdultSplit.draw(frame, seed)
    picked = seed.child("attacked").rng().permutation(len(split.members))[:ATTACKED]
    members = Dataset(split.members.frame[picked.tolist()], split.members.schema)
    controls = Dataset(split.files.controls.frame[:ATTACKED], split.members.schema)
    members.frame.write_csv(folder / "members.csv")
    controls.frame.write_csv(folder / "controls.csv")
    lines: dict[str, dict[str, Any]] = {}
    for place, (name, method) in enumerate(list_methods().items()):
        release = protect(method, split.members, seed.child(name))
        table = release.table.take(np.flatnonzero(~release.deleted))
        publish_values(table).frame.write_csv(folder / f"release-{place}.csv")
        answer, cpu = time_attack(table, members, controls, seed)
        lines[f"release-{place}"] = {"release": name, "seed": number, "ours": answer.to_dict() | {"cpu": cpu}}
    words = [str(peer), str(HERE / "anonymeter_program.py"), str(folder), ",".join(KEYS), SENSITIVE]
    done = subprocess.run([*words, ",".join(map(str, SIZES))], check=True, capture_output=True, text=True)
    told = json.loads(done.stdout.splitlines()[-1])
    return [line | {"theirs": told["releases"][stem]} for stem, line in lines.items()], told["intervals"]


def time_attack(table: MaskedTable, members: Dataset, controls: Dataset, seed: Seed) -> tuple[AttributeAnswer, float]:
    """Attack a release once to compile, and once more to be timed."""
    attack = AttributeAttack(keys=KEYS, sensitive=SENSITIVE, nearest=True)
    attack.attack(table, members, controls, rng=seed.child("ties").rng())
    start = process_time()
    answer = attack.attack(table, members, controls, rng=seed.child("ties").rng())
    return answer, process_time() - start


def list_coverage(theirs: Mapping[str, Sequence[Sequence[float]]]) -> list[dict[str, Any]]:
    """Return the coverage of the peer's interval and of ours for every size; ours is exact for the smaller one."""
    lines: list[dict[str, Any]] = []
    for size in SIZES:
        listed = {(int(hits), int(others)): (low, high) for hits, others, low, high in theirs[str(size)]}
        methods: dict[str, Ends] = {"anonymeter": partial(_look_up, listed)}
        for method in RatioMethod:
            if method is not RatioMethod.EXACT or size == SIZES[0]:
                methods[method.value] = partial(bound_ratio, size, method)
        lines += [{"size": size, "interval": name, **measure_coverage(size, ends)} for name, ends in methods.items()]
    return lines


def _look_up(listed: Mapping[tuple[int, int], tuple[float, float]], hits: int, others: int) -> tuple[float, float]:
    return listed[hits, others]


def main() -> None:
    """Run both, and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"needs {DATA.name} of adult (in $SEKISHO_DATA)")
    frame = pl.read_csv(DATA, separator=";", infer_schema=False).with_columns(pl.col("age").cast(pl.Int64))
    lines: list[dict[str, Any]] = []
    intervals: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        for number in range(1, asked.seeds + 1):
            found, intervals = run_seed(Path(folder), frame, number, asked.peer)
            lines += found
            for line in found:
                print(json.dumps(line), flush=True)
    coverage = list_coverage(intervals)
    for line in coverage:
        print(json.dumps(line))
    (HERE / "anonymeter_peer.json").write_text(json.dumps({"attacks": lines, "coverage": coverage}, indent=1) + "\n")


if __name__ == "__main__":
    main()
