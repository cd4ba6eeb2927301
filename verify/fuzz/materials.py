"""The small valid files that every call starts from: embedded texts, synthetic data, and what commands make of them."""

from __future__ import annotations

import json
import os
import random
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import rmtree

import numpy as np
import polars as pl

from sekisho.cli import status_of
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import health_records

from .own_files import MADE as OWN
from .own_files import own_texts

CELLS = "a,b,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"
PART = "a,b,n\nx,p,2\nx,q,20\nx,r,29\ny,p,11\ny,q,16\ny,r,10\nz,p,15\nz,q,9\nz,r,12\n"
PART2 = "a,b,n\nx,p,0\nx,q,8\nx,r,0\ny,p,9\ny,q,0\ny,r,4\nz,p,0\nz,q,4\nz,r,0\n"
AGES = "a,c,n\nx,k,20\nx,l,25\nx,m,15\ny,k,3\ny,l,20\ny,m,27\nz,k,10\nz,l,16\nz,m,14\n"
TREE = "node,parent\nx,U\ny,U\nU,Total\nz,Total\n"
SUMS = """a,b,v,f,x1,x2
x,p,10,2,9,1
x,q,28,5,9,8
y,p,20.5,4,10,5
y,q,16,3,8,6
z,p,15,6,4,3
z,q,13,3,6,4
"""
SUMS2 = "a,b,v,f,x1,x2\nx,p,9,1,9,0\nx,q,9,1,9,0\ny,p,10,1,10,0\ny,q,8,1,8,0\nz,p,4,1,4,0\nz,q,6,1,6,0\n"
FIRMS = """a,b,v,firm,group,w,ask,free
x,p,599,1,1,1,0,0
x,p,344,2,1,2,0,0
x,q,244,3,1,1,1,0
x,q,355,4,2,1,0,0
y,p,644,5,2,1.5,0,1
y,p,433,6,3,1,0,0
y,q,323,7,3,1,0,0
y,q,343,8,4,1,0,0
y,q,23,9,5,1,0,0
"""
RDA = """   <SEPARATOR> ";"
   <SAFE> S
   <UNSAFE> U
   <PROTECT> P
a
    <RECODEABLE>
    <TOTCODE> "Total"
    <HIERARCHICAL>
    <HIERCODELIST> "t.hrc"
    <HIERLEADSTRING> "@"
b "99"
    <RECODEABLE>
    <TOTCODE> "Total"
v
    <NUMERIC>
    <DECIMALS> 1
f
    <FREQUENCY>
c
    <NUMERIC> <COST>
t
    <MAXSCORE>
s
    <STATUS>
l
    <NUMERIC> <LOWERPL>
u
    <NUMERIC> <UPPERPL>
"""
TAB = """"Total";"Total";22;9;22;5;S;0;0
"Total";"p";12;5;12;5;S;0;0
"Total";"q";10;4;10;5;S;0;0
"U";"Total";15;5;15;5;S;0;0
"U";"p";9;3;9;5;S;0;0
"U";"q";6;2;6;5;S;0;0
"x";"Total";8;3;8;5;S;0;0
"x";"p";5;1;5;5;U;1;1
"x";"q";3;2;3;2;M;0;0
"y";"Total";7;2;7;4;S;0;0
"y";"p";4;2;4;3;M;0;0
"y";"q";3;0;3;2;M;0;0
"z";"Total";7;4;7;4;S;0;0
"z";"p";3;2;3;3;S;0;0
"z";"q";4;2;4;3;P;0;0
"""
MATRIX = "v,f,m\nf,0.75,0.25\nm,1/4,3/4\n"
NOISE = "i,j,p\n0,0,1\n1,0,0.5\n1,1,0.25\n1,2,0.25\n2,1,0.25\n2,2,0.5\n2,3,0.25\n"
STRATA = "stratum,records,known,sample\nnorth,600,50,60\nsouth,400,20,40\n"
RECIPE = """rules = "rules18.toml"
original = "T.csv"
bound = "exact"
seed = 1
[[methods]]
name = "groups"
k = 2
[[methods]]
name = "coarsen"
width = 3
[[adversaries]]
name = "maximum-knowledge"
[[adversaries]]
name = "chance"
"""
KEYED_RECIPE = """shape = "records"
original = "people.csv"
keys = ["sex", "age", "town"]
release = "pr.csv"
risk = 0.5
seed = 1
[trees]
town = "towns.csv"
[find]
k = [3, 4]
effort = 0
[[methods]]
name = "pram"
retention = 0.5
[[adversaries]]
name = "prosecutor"
keys = ["sex", "age"]
[[adversaries]]
name = "partial-knowledge"
known = 5
[[adversaries]]
name = "downcode"
people = "others"
[guarantees]
k = 3
highest = 0.5
[limits]
ncp = 0.5
[policy]
"truth unknown" = "release"
"""
TABLE_RECIPE = """shape = "table"
original = "cells.csv"
dims = ["a", "b"]
count = "n"
min_count = 5
width = 10
cost = "value"
time = 5
insiders = 1
[trees]
a = "tree.csv"
"""
CONTEST = (
    "contest new live --rules rules18.toml --original T.csv --at 2026-01-01 --seed 1",
    "contest open live register --at 2026-01-02",
    "contest register live ann bob --at 2026-01-02",
    "contest open live anonymise --round final --at 2026-01-03",
    "contest submit live --team ann --released A.csv --at 2026-01-03",
    "contest submit live --team bob --released A.csv --at 2026-01-03",
    "contest export live --out early.zip",
    "contest import early.zip --out early",
    "contest open live practice --at 2026-01-03",
    "contest submit live --team ann --released A.csv --practice --at 2026-01-03",
    "contest open live publish --round final --at 2026-01-04",
    "contest open live attack --round final --at 2026-01-05",
    "contest attack live --team ann --target bob --guess F1.csv --at 2026-01-05",
    "contest export live --out live.zip",
    "worker --import live.zip --database sqlite:///cup.sqlite3 --store cupstore --vault cupvault",
    "serve --database sqlite:///cup.sqlite3 --store cupstore --backup backup.zip",
)
MADE = (
    "protect groups T.csv --k 2 --out A.csv --seed 1",
    "publish pwscup2018 --released A.csv --original T.csv --truth F.csv --out A1.csv",
    "attack maximum-knowledge --original T.csv --published A1.csv --everyone --out F1.csv --seed 1",
    "protect delete-random B.csv --rules rules21.toml --share 0.3 --out D.csv --deleted X.csv --seed 1",
    "publish rules21.toml --released D.csv --truth order.csv --out P.csv --seed 1",
    "draw-test-set rules21.toml --original B.csv --deleted X.csv --out CT.csv --answers Ea.csv --seed 1",
    "attack nearest --rules rules21.toml --original CT.csv --published D.csv --out E.csv --seed 1",
    "protect pram people.csv --retention 1/2 --columns sex,age,town --strata town --sample 20 --out R.csv --seed 1",
    "protect pram people.csv --retention 1/2 --columns sex,age --sample 20 --out Q.csv --seed 1",
    (
        "protect partition people.csv --id id --keys sex,age,town --tree town=towns.csv --k 3 --effort 0 --out pr.csv"
        " --deleted prx.csv --seed 1"
    ),
    "protect sample people.csv --size 20 --out S.csv --seed 1",
    "table suppress cells.csv --dims a,b --count n --out pattern.csv --certificate certificate.json",
    "table suppress part.csv --dims a,b --count n --out pattern2.csv",
    "table suppress ages.csv --dims a,c --count n --out pattern3.csv",
    "table suppress cells.csv --dims a,b --count n --tree a=tree.csv --out patternu.csv",
    "table suppress sums.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --out pattern4.csv",
    "table suppress sums2.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --out pattern5.csv",
    *CONTEST,
    "table convert cells.csv t.jj --dims a,b --count n --pattern pattern.csv",
    "table convert cells.csv t.hst --dims a,b --count n --pattern pattern.csv",
    "key --out signer.pem",
    "gate tables.toml --out sealed --key signer.pem",
)


def make_materials(folder: Path) -> None:
    """Write every material into a folder."""
    texts = {
        "token.txt": "a-token-of-nobody\n",
        "remote.json": '{"url": "http://127.0.0.1:9", "token": "a-token-of-nobody"}\n',
        "cells.csv": CELLS,
        "part.csv": PART,
        "ages.csv": AGES,
        "part2.csv": PART2,
        "sums.csv": SUMS,
        "sums2.csv": SUMS2,
        "firms.csv": FIRMS,
        "firms2.csv": FIRMS.replace("x,q,355,4,2,1,0,0\n", "").replace("y,p,433,6,3,1,0,0\n", ""),
        "tree.csv": TREE,
        "tree.hrc": "U\n@x\n@y\nz\n",
        "wide.csv": "x;U;Total\ny;U;Total\nz;z;Total\n",
        "towns.csv": "node,parent\nnorth,all\nsouth,all\n",
        "groups.csv": "group,member\nG,p\nG,q\n",
        "t.rda": RDA,
        "t.tab": TAB,
        "t.hrc": "U\n@x\n@y\nz\n",
        "matrix.csv": MATRIX,
        "strata.csv": STRATA,
        "noise.csv": NOISE,
        "recipe.toml": RECIPE,
        "tables.toml": TABLE_RECIPE,
        "keyed.toml": KEYED_RECIPE,
        "rules18.toml": (RULEBOOKS / "pwscup2018.toml").read_text(),
        "pwscup2018-R.csv": "".join(f"{n},{n + 1 if n < 7 else n - n // 8}\n" for n in range(30)),
        "rules21.toml": _small_test((RULEBOOKS / "pwscup2021.toml").read_text()),
        "free21.toml": _small_test((RULEBOOKS / "pwscup2021.toml").read_text()).replace(
            "in_order = true", "in_order = false"
        ),
        "T.csv": _purchases(),
        "people.csv": _people(),
        "others.csv": _people(40),
        **own_texts(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    book = read_record_rules(str(folder / "rules21.toml"))
    (folder / "B.csv").write_bytes(write_records(health_records(60, rng=np.random.default_rng(1)), book))
    pl.read_csv(folder / "cells.csv").write_parquet(folder / "cells.parquet")
    (folder / "folder").mkdir()
    _run_all(folder)
    (folder / "P.csv").write_text("".join(f"{n % 10},{n * 3 % 10}\n" for n in range(20)))
    (folder / "A23.csv").write_text("".join(",".join([str(n % 10)] * 12) + "\n" for n in range(20)))
    (folder / "seed.txt").write_text("5\n")
    (folder / "cohorts").mkdir()
    for name in ("1", "2", "background"):
        (folder / "cohorts" / f"{name}.csv").write_text("record_id,age\n1,50\n")
    (folder / "results").mkdir()
    (folder / "results" / "main_release.csv").write_text("team,utility\n01,0.8\n02,0.7\n")
    (folder / "results" / "main_attack.csv").write_text("target,attacker,accuracy\n01,02,0.2\n02,01,0.3\n")
    for place in ("releases", "guesses"):
        (folder / "cup" / place).mkdir(parents=True)
    for name, copy in {
        "T.csv": "original.csv",
        "A.csv": "releases/ann.csv",
        "F1.csv": "guesses/bob-on-ann.csv",
    }.items():
        (folder / "cup" / copy).write_bytes((folder / name).read_bytes())
    for made, name in (("R", "mechanism.json"), ("Q", "plain.json")):
        (folder / name).write_bytes((folder / f"{made}.csv.mechanism.json").read_bytes())
    for made, name in (("public/certificate.json", "sealed.json"), ("confidential/opening.json", "opening.json")):
        (folder / "sealed" / made).rename(folder / name)
    rmtree(folder / "sealed")


def _run_all(folder: Path) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        for line in (*MADE, *OWN):
            output = StringIO()
            with redirect_stdout(StringIO()), redirect_stderr(output):
                status = status_of(line.split())
            if status not in (0, 1, 3):
                raise RuntimeError(f"sekisho {line}: status {status}: {output.getvalue()}")
    finally:
        os.chdir(before)


def _small_test(text: str) -> str:
    return text.replace("members = 50", "members = 5").replace("others = 50", "others = 5")


def _purchases() -> str:
    chance = random.Random("purchases")
    lines = [
        f"{customer},2011/{chance.randint(1, 12)}/{chance.randint(1, 28)},I{chance.randint(1, 5)},"
        f"{chance.randint(1, 900) / 100:g},{chance.randint(1, 9)}"
        for customer in range(1, 13)
        for _ in range(chance.randint(1, 4))
    ]
    return "\n".join(lines) + "\n"


def _people(first: int = 0) -> str:
    chance = random.Random("people" if not first else f"people {first}")
    columns = ("fm", ("young", "old", "middle"), ("north", "south"))
    lines = [",".join([str(number), *map(chance.choice, columns)]) for number in range(first, first + 40)]
    return "\n".join(["id,sex,age,town", *lines]) + "\n"


def companions(name: str) -> tuple[str, ...]:
    """Return the files that another one names by itself, and which must therefore lie beside it."""
    beside = {
        "t.tab": ("t.rda", "t.hrc"),
        "rules18.toml": ("pwscup2018-R.csv",),
        "tables.toml": ("cells.csv", "tree.csv"),
        "keyed.toml": ("people.csv", "towns.csv", "pr.csv"),
        "recipe.toml": ("rules18.toml", "pwscup2018-R.csv", "T.csv"),
    }
    return beside.get(name, ())


def is_json(path: Path) -> bool:
    """Tell whether a file holds JSON as everybody reads it."""
    try:
        json.loads(path.read_bytes(), parse_constant=_refuse)
    except ValueError:
        return False
    return True


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
