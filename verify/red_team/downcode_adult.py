"""Downcoding on the releases of docs/methods/red-team-figures.md: hidden and generalised cells, over several seeds.

Run from the top of the repository: ``python -m verify.red_team.downcode_adult --adult adult.csv [--seeds 10]``. The
people, keys and methods are those of ``verify.red_team.attribute``; sampling, PRAM, noise and rank swapping hide and
generalise no cell, so that there is nothing to downcode. Local suppression is read by one who has the release alone,
recoding by one who knows every other record as well. One line of JSON for each method and seed.
"""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from pathlib import Path

import polars as pl
from verify.red_team.attribute import KEYS, AdultSplit, list_methods, protect

from sekisho.attack.records.downcode.answer import Roster
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.records.downcode.downcoding import DowncodeQuestion, Recoder, SeenRelease, downcode
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed

READ = {"suppress": (Recoder.SUPPRESS, 5), "lattice": (Recoder.LATTICE, 10), "partition": (Recoder.PARTITION, 10)}


def main() -> None:
    """Protect and read every method with every seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    frame = pl.read_csv(asked.adult, separator=";", infer_schema=False).with_columns(pl.col("age").cast(pl.Int64))
    trees = {name: read_tree(asked.adult.parent / f"adult_hierarchy_{name}.csv") for name in KEYS}
    for number in range(1, asked.seeds + 1):
        members = AdultSplit.draw(frame, Seed(number)).members
        for name, method in list_methods(asked.adult.parent).items():
            recoder, k = READ.get(name.partition(",")[0], (None, 0))
            if recoder is None:
                continue
            release = protect(method, members, Seed(number).child(name))
            roster = Roster.ONE if recoder is Recoder.SUPPRESS else Roster.OTHERS
            tree = trees if recoder is Recoder.LATTICE else {}
            question = DowncodeQuestion(
                method=recoder, keys=KEYS, k=k, roster=roster, tree=tree, suppress=Fraction(1, 50)
            )
            found = downcode(question, SeenRelease.of_release(release, members)).to_dict()
            rate = HitRate(hits=int(str(found["hits"])), trials=int(str(found["claimed"])))
            found |= {"seed": number, "release": name, "interval": [rate.low, rate.high]}
            print(json.dumps(found, default=str), flush=True)


if __name__ == "__main__":
    main()
