"""The example in each command's help works when it is pasted, in a folder that has its files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.cli.table import commands as table

CELLS = "v1,v2,n\n" + "".join(
    f"a{i},b{j},{(2, 30, 40, 25, 17, 31, 28, 19, 22)[3 * i + j]}\n" for i in range(3) for j in range(3)
)
JOBS = "region,job,n\neast,A,2\neast,B,28\neast,C,30\nnorth,A,20\nnorth,B,16\nnorth,C,14\nwest,A,15\nwest,B,13\nwest,C,12\n"
AGES = "region,age,n\neast,x,20\neast,y,25\neast,z,15\nnorth,x,3\nnorth,y,20\nnorth,z,27\nwest,x,10\nwest,y,16\nwest,z,14\n"
FIRMS = "region,industry,turnover,firm\neast,A,100,1\neast,A,20,2\neast,B,30,3\nwest,A,40,4\nwest,B,50,5\nwest,B,60,6\n"
ADULTS = "region,job,n\n" + "".join(
    f"{line.rsplit(',', 1)[0]},{max(0, int(line.rsplit(',', 1)[1]) - 7)}\n" for line in JOBS.split()[1:]
)
PEOPLE = "id,town,sex,age,race\n" + "".join(
    f"{n},{'east' if n % 3 else 'west'},{'fm'[n % 2]},{'young' if n % 5 else 'old'},{'abc'[n % 3]}\n" for n in range(24)
)
SALES = "v1,v2,v,n,x1,x2\n" + "".join(
    f"a{i},b{j},{100 + 10 * i + j},{3 if i or j else 2},{40 if i or j else 90},{30 if i or j else 10}\n"
    for i in range(3)
    for j in range(3)
)
OWN = {
    "adjust": {"t.csv": SALES},
    "perturb": {"people.csv": PEOPLE},
    "reconstruct": {
        "people.csv": PEOPLE,
        "sex_age.csv": "sex,age,n\nf,young,9\nf,old,3\nm,young,10\nm,old,2\n",
        "race.csv": "race,n\na,8\nb,8\nc,8\n",
    },
}
"""Files of one example alone."""
ANSWERS = {"adjust": 3, "audit-difference": 3, "audit-linked": 3}
"""Where the answer is another than 0: an adjusted table is for a person to look at."""
BEFORE = {
    "perturb": ["plan noise --max 2 --variance 1 --variance at-most --out P.csv"],
    "audit": ["suppress"],
    "verify": ["suppress"],
    "convert": ["suppress"],
    "audit-linked": ["link", "patterns/jobs.csv pj.csv", "patterns/ages.csv pa.csv"],
    "audit-difference": ["difference", "patterns/all.csv pa.csv", "patterns/adults.csv pb.csv"],
}
"""What has to be run, or copied, before an example."""


def examples() -> dict[str, str]:
    found: dict[str, str] = {}
    for command in table.app.registered_commands:
        words = " ".join((command.callback.__doc__ or "").split()) if command.callback is not None else ""
        told = re.search(r"Example: `sekisho (.+?)`", words)
        assert told is not None, command.name
        found[str(command.name)] = told.group(1)
    return found


@pytest.mark.parametrize("name", examples())
def test_the_example_works(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "t.csv": CELLS,
        "jobs.csv": JOBS,
        "ages.csv": AGES,
        "firms.csv": FIRMS,
        "all.csv": JOBS,
        "adults.csv": ADULTS,
    }
    for file, text in (files | OWN.get(name, {})).items():
        Path(file).write_text(text)
    for step in BEFORE.get(name, []):
        if step.startswith("plan"):
            assert status_of(shlex.split(step)) == 0
        elif " " in step:
            source, target = step.split()
            Path(target).write_bytes(Path(source).read_bytes())
        else:
            assert status_of(shlex.split(examples()[step])) == 0
    assert status_of(shlex.split(examples()[name])) == ANSWERS.get(name, 0)
