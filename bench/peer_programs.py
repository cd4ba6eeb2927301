"""What runs in the environment of the peers (requirements/peers.txt): anonypy, anjana and pycanon, one call each.

``python peer_programs.py PEER SOURCE KEYS K OUT TREES`` prints one JSON object: the CPU seconds of the call itself, of
the whole process so far, and what the program says. The release is written to OUT, and regrouped by whoever asked.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path

import pandas as pd

SENSITIVE = "salary-class"


def run_anonypy(frame: pd.DataFrame, keys: list[str], k: int) -> pd.DataFrame:
    """Return anonypy's Mondrian: one row for each class and sensitive value, with a count."""
    for name in frame.columns:
        if frame[name].dtype == object:
            frame[name] = frame[name].astype("category")
    rows = import_module("anonypy").Preserver(frame, keys, SENSITIVE).anonymize_k_anonymity(k=k)
    released = pd.DataFrame(rows)
    return released.loc[released.index.repeat(released["count"].to_list())].astype(str)


def run_anjana(frame: pd.DataFrame, keys: list[str], k: int, trees: Path) -> pd.DataFrame:
    """Return anjana's full-domain generalisation along the trees, at most 5 % of the records left out."""
    ladders: dict[str, dict[int, object]] = {}
    for name in keys:
        tree = pd.read_csv(trees / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        ladders[name] = {level: tree[level].to_numpy() for level in range(tree.shape[1])}
        frame[name] = frame[name].astype(str)
    anonymised: pd.DataFrame = import_module("anjana.anonymity").k_anonymity(frame, [], keys, k, 5, ladders)
    return anonymised


def main() -> None:
    """Run one peer."""
    peer, source, keys, k, out, trees = sys.argv[1:]
    frame, names = pd.read_csv(source, sep=";"), keys.split(",")
    start = time.process_time()
    if peer == "pycanon":
        said = {"k": int(import_module("pycanon.anonymity").k_anonymity(frame, names))}
    elif peer == "anonypy":
        said = write(run_anonypy(frame, names, int(k)), out)
    else:
        said = write(run_anjana(frame, names, int(k), Path(trees)), out)
    call = time.process_time() - start
    print("\n" + json.dumps({"call": call, "whole": time.process_time(), **said}))


def write(released: pd.DataFrame, out: str) -> dict[str, int]:
    """Write a release; return how many rows it has."""
    released.to_csv(out, sep=";", index=False)
    return {"rows": len(released)}


if __name__ == "__main__":
    main()
