"""Where campaigns and benchmarks find real data, and where anybody gets them.

Name the folder with ``--data DIR`` or in the variable ``SEKISHO_DATA``; without either, ``shared/data`` beside the
repository is tried. A campaign that finds no file says where to get it and runs on synthetic data instead.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from pathlib import Path

VARIABLE = "SEKISHO_DATA"
BESIDE = Path(__file__).parents[2] / "shared" / "data"
SOURCES = {
    "pwscup2018/T_round2.csv": (
        "the purchases of PWS Cup 2018, second round (1,000 customers of UCI Online Retail, no header); from the "
        "contest's organisers, IPSJ CSEC, PWS Cup 2018"
    ),
    "retail/online-retail.parquet": (
        "UCI Online Retail, all 541,909 rows as Parquet; from https://archive.ics.uci.edu/dataset/352/online+retail "
        "(CC BY 4.0)"
    ),
    "health/B00.csv": (
        "the 4,190 synthetic health records of PWS Cup 2021, no header; from the contest's organisers, IPSJ CSEC, "
        "PWS Cup 2021"
    ),
    "adult/adult.csv": (
        "UCI Adult as distributed with ARX: 30,162 rows, nine columns, separated by semicolons; from "
        "https://github.com/arx-deidentifier/arx (data/adult.csv; the census records are CC BY 4.0)"
    ),
}


def add_data_option(parser: ArgumentParser) -> None:
    """Let a campaign be told where real data lie."""
    parser.add_argument(
        "--data", type=Path, default=None, help=f"folder of real data; without it ${VARIABLE}, or beside the repository"
    )


def find_data(name: str, folder: Path | None = None) -> Path | None:
    """Return where a file of real data lies; None, having said where to get it, if it does not."""
    place = (folder or Path(os.environ.get(VARIABLE, "") or BESIDE)) / name
    if place.is_file():
        return place
    print(f"{name} was not found (--data DIR, ${VARIABLE}): {SOURCES[name]}", file=sys.stderr)
    return None
