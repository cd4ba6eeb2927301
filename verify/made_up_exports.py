"""Twenty made-up exports with the truth about every column, for a look at files that nobody wrote the rules by.

    PYTHONPATH=.:verify python verify/made_up_exports.py FOLDER [--seed 7]
    PYTHONPATH=. python verify/exports.py FOLDER --gate 20

The folder gets ``files/`` and ``truth.json``. Nobody in the files exists: names are drawn from short lists, telephone
numbers are of ranges kept for fiction or never given out, mails those reserved for documentation, towns invented,
numbers of people random. The same seed gives the same files,
but for the hour in the head of an SPSS file and of a Stata file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random

from made_up.elsewhere import ELSEWHERE
from made_up.europe import EUROPE
from made_up.japan import JAPAN
from made_up.statistics import STATISTICS
from made_up.travel import TRAVEL

ROLES = {
    "identifier": "must never leave, generalised or not",
    "quasi": "may be known to others",
    "sensitive": "must stay hidden",
    "other": "neither",
    "empty": "holds nothing",
}


def write_corpus(folder: Path, *, seed: int) -> None:
    """Write the files and the truth about them."""
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    truths = list[dict[str, object]]()
    for make in (*JAPAN, *EUROPE, *ELSEWHERE, *TRAVEL, *STATISTICS):
        draw = Random(f"{seed} {make.__name__}")
        export = make(draw)
        export.write(files / export.file, export)
        truths.append(export.describe(draw))
    about = f"{len(truths)} made-up exports; nobody in them exists"
    told = json.dumps({"about": about, "roles": ROLES, "files": truths}, ensure_ascii=False, indent=1, default=str)
    (folder / "truth.json").write_text(told + "\n", encoding="utf-8")


def main() -> None:
    """Write them into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent / "out" / "made_up")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    write_corpus(asked.folder, seed=asked.seed)
    print(asked.folder)


if __name__ == "__main__":
    main()
