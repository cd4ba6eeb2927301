"""Small files under the names that the documentation uses, so that every command in it can be run as it stands.

Real data have their place in the campaigns; here ``adult.csv`` or ``T_round2.csv`` is a small file of the same form.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_history_rules, read_record_rules
from sekisho.data.history.files import write_original
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import health_records
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.seeds import Seed

TOWNS = {"Aoba": "north", "Bunkyo": "north", "Chuo": "south", "Daito": "south"}
JOBS = ("clerk", "clerk", "cook", "driver", "nurse", "nurse", "teacher", "clerk", "cook", "smith")
PEOPLE_HEAD = "id,age,sex,town,region,income,ill,illness,weight,w,job,size,born"
SALES_HEAD = "顧客ID;日付;商品;単価;数量;備考"
ITEMS = ("りんご", "tea", "米", "salt", "味噌", "oil")
TEXTS = {
    "public.csv": "a,b,n\na1,b1,x\na1,b2,x\na1,b3,7\na1,Total,22\na2,b1,x\na2,b2,x\na2,b3,11\na2,Total,31\na3,b1,5\na3,b2,9\na3,b3,4\na3,Total,18\nTotal,b1,20\nTotal,b2,29\nTotal,b3,22\nTotal,Total,71\n",
    "homes.csv": "home,age,sex,illness\n1,20,m,flu\n1,21,f,none\n2,20,m,none\n2,21,f,cold\n3,40,m,flu\n3,60,f,none\n4,40,m,none\n4,60,f,flu\n",
    "t.csv": "region,job,n\nnorth,A,2\nnorth,B,28\nnorth,C,30\neast,A,20\neast,B,16\neast,C,14\nwest,A,15\nwest,B,13\nwest,C,12\n",
    "jobs.csv": "region,job,n\nnorth,A,20\nnorth,B,40\nsouth,A,25\nsouth,B,35\n",
    "ages.csv": "region,age,n\nnorth,young,57\nnorth,old,3\nsouth,young,30\nsouth,old,30\n",
    "all.csv": "a,b,n\nx,p,22\nx,q,28\ny,p,20\ny,q,16\n",
    "adults.csv": "a,b,n\nx,p,20\nx,q,20\ny,p,11\ny,q,10\n",
    "work.csv": "a,b,n\nx,p,12\nx,q,14\ny,p,11\ny,q,9\n",
    "marked.csv": "a,b,n,status\nx,p,22,safe\nx,q,3,primary\ny,p,20,safe\ny,q,16,safe\n",
    "regions.csv": "node,parent\nnorth,upper\neast,upper\nupper,Total\nwest,Total\n",
    "recipe.toml": (
        'rules = "pwscup2018"\noriginal = "T.csv"\nseed = 1\n[[methods]]\nname = "similar-length"\nk = 7\n'
        '[[adversaries]]\nname = "containment"\n'
    ),
    "sales.toml": (
        'shape = "history"\n[file]\ndate_format = "%d.%m.%Y"\n[[columns]]\nname = "customer"\nsource = "顧客ID"\n'
        'role = "identifier"\n[[columns]]\nname = "item"\nsource = "商品"\nkind = "category"\n'
    ),
    "strata.csv": "stratum,records,known\nnorth,600,50\nsouth,400,20\n",
    "firms.csv": (
        "industry,size,turnover,group\n800,20,599,1\n800,20,344,1\n800,20,244,1\n800,30,355,1\n800,20,644,2\n"
        "800,30,433,2\n800,30,323,3\n800,30,343,3\n900,20,23,4\n900,20,43,5\n900,20,34,5\n900,20,53,5\n"
        "900,30,700,6\n900,30,200,6\n900,30,60,7\n900,30,40,8\n900,30,10,9\n"
    ),
}
COMMANDS = (
    "protect groups T.csv --k 3 --effort 1 --out A.csv --seed 1",
    "protect groups T.csv --k 2 --effort 1 --out A2.csv --seed 1",
    "protect groups T.csv --k 7 --effort 1 --out A7.csv --seed 1",
    "publish pwscup2018 --released A.csv --out A1.csv",
    "attack maximum-knowledge --original T.csv --published A1.csv --out F1.csv --bound exact --seed 7",
    "protect partition people.csv --id id --keys age,sex,town --k 5 --effort 0 --out R.csv --seed 1",
    "protect partition people.csv --id id --keys age,sex,town --k 5 --effort 0 --out R5.csv --seed 1",
    "protect partition people.csv --id id --keys age,sex,town --k 10 --effort 0 --out R10.csv --seed 1",
    "table suppress jobs.csv --dims region,job --count n --out pj.csv",
    "table suppress ages.csv --dims region,age --count n --out pa.csv",
    "table suppress all.csv --dims a,b --count n --out pall.csv",
    "table suppress adults.csv --dims a,b --count n --out padults.csv",
    "table suppress t.csv --dims region,job --count n --out p.csv",
    "table convert t.csv t.jj --dims region,job --count n --pattern p.csv",
    "table convert t.csv t.tab --dims region,job --count n --pattern p.csv",
    "table convert t.csv t.hst --dims region,job --count n --pattern p.csv",
    "protect delete-random B.csv --rules pwscup2021 --out D.csv --deleted X.csv --seed 1",
    "draw-test-set pwscup2021 --original B.csv --deleted X.csv --out CT.csv --answers Ea.csv --seed 1",
    "attack nearest --rules pwscup2021 --original CT.csv --published D.csv --out E.csv --seed 1",
    "publish pwscup2021 --released D.csv --out D1.csv --truth O.csv --seed 1",
    "protect sample adult.csv --size 100 --out S.csv",
    "plan noise --max 5 --variance 3 --variance at-most --out noise.csv",
    "table round t.csv --dims region,job --count n --base 5 --out r.csv",
)
ADULTS = 10_200
ANSWERS = (0, 1, 3)
COPIES = {
    "jan.csv": "people.csv",
    "feb.csv": "people.csv",
    "R1.csv": "R5.csv",
    "R2.csv": "R10.csv",
    "two-raw.csv": "A.csv",
    "two-raw-published.csv": "A1.csv",
    "known.csv": "adult.csv",
} | {
    "T1.csv": "T.csv",
    "T2.csv": "T.csv",
    "mails/original.csv": "T.csv",
    "mails/releases/team01.csv": "A.csv",
    "mails/releases/team02.csv": "A2.csv",
    "mails/guesses/team02-on-team01.csv": "F1.csv",
}


def write_stand_ins(folder: Path) -> None:
    """Write all files into an empty folder, which is the current one."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    _write_people(folder)
    _write_sales(folder)
    _write_adult(folder)
    _write_contests(folder)
    _write_results(folder)
    for line in COMMANDS:
        status, _, err = run_command(line.split())
        if status not in ANSWERS:
            raise AssertionError(f"{line}: {err}")
    for name, source in COPIES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / source, folder / name)


def _write_results(folder: Path) -> None:
    """Write what was measured in a small contest of 2023, and public columns for another one."""
    (folder / "results").mkdir()
    (folder / "results" / "main_release.csv").write_text("team,utility\n01,0.8\n02,0.7\n")
    (folder / "results" / "main_attack.csv").write_text("target,attacker,accuracy\n01,02,0.2\n02,01,0.3\n")
    (folder / "P.csv").write_text("".join(f"{n % 10},{n * 7 % 10},{n * 3 % 10}\n" for n in range(40)))
    (folder / "A23.csv").write_text("".join(",".join(["*"] * 12 + [str(n % 10)]) + "\n" for n in range(40)))
    (folder / "seed.txt").write_text("12\n")
    (folder / "cohorts").mkdir()
    for name in ("1", "2", "background"):
        (folder / "cohorts" / f"{name}.csv").write_text("record_id,age\n1,50\n")
    (folder / "teams").mkdir()
    for number in (1, 2, 3):
        make_ratings(40, rng=Seed(number).rng()).write_csv(folder / "teams" / f"team01-{number}.csv")


def run_command(words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in this process; return its exit status and what it wrote to both streams."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = status_of(list(words))
    return status, out.getvalue(), err.getvalue()


def _write_people(folder: Path) -> None:
    lines = list[str]()
    for number in range(400):
        town = list(TOWNS)[(number * number + number // 7) % 4]
        age, income = 20 + (number * 17) % 51, 100 + (number * 37) % 900
        ill = ("no", "no", "flu", "asthma")[(number * 3 + number // 5) % 4]
        size, job = ("small", "medium", "large")[(number * 7 + number // 3) % 3], JOBS[(number * 13 + number // 4) % 10]
        born = f"{2024 - age}-{1 + number % 12:02}-{1 + number % 28:02}"
        weights = f"{2 + number % 5},{2 + number % 5}"
        person = f"p{number},{age},{'fm'[number % 2]},{town},{TOWNS[town]},{income},{ill},{ill},{weights}"
        lines.append(f"{person},{job},{size},{born}")
    (folder / "people.csv").write_text("\n".join([PEOPLE_HEAD, *lines[:120]]) + "\n")
    (folder / "others.csv").write_text("\n".join([PEOPLE_HEAD, *lines[120:260]]) + "\n")
    (folder / "more.csv").write_text("\n".join([PEOPLE_HEAD, *lines[260:]]) + "\n")
    (folder / "population.csv").write_text("\n".join([PEOPLE_HEAD, *lines]) + "\n")
    (folder / "town.csv").write_text("".join(f"{town};{region};*\n" for town, region in TOWNS.items()))
    decades = {age: f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in range(20, 71)}
    (folder / "age.csv").write_text("".join(f"{age};{decade};*\n" for age, decade in decades.items()))


def _write_sales(folder: Path) -> None:
    lines = [SALES_HEAD]
    for number in range(240):
        day, item = f"{1 + (number * 11) % 28:02}.{1 + number % 3:02}.2024", ITEMS[(number * 5 + number // 9) % 6]
        lines.append(f"c{10 + number % 24};{day};{item};{1 + number % 4},50;{1 + number % 3};")
    (folder / "sales.csv").write_text("\n".join(lines) + "\n", encoding="cp932")


def _write_adult(folder: Path) -> None:
    kinds = {
        "sex": ("Female", "Male"),
        "age": tuple(map(str, range(20, 60))),
        "race": ("A", "B", "C", "D", "E"),
        "marital-status": ("single", "married", "widowed"),
        "education": tuple(f"grade {number}" for number in range(16)),
        "native-country": ("Japan", "France", "Peru"),
        "workclass": ("private", "public"),
        "occupation": JOBS[:6],
        "salary-class": ("<=50K", ">50K"),
    }
    rng = Seed(5).child("adult").rng()
    columns = {name: rng.choice(values, ADULTS) for name, values in kinds.items()}
    pl.DataFrame(columns).write_csv(folder / "adult.csv", separator=";")


def _write_contests(folder: Path) -> None:
    purchases = SyntheticHistory(customers=28, median_rows=5).draw(rng=Seed(1).child("history").rng())
    history = write_original(purchases, read_history_rules("pwscup2018"))
    for name in ("T.csv", "T_round2.csv"):
        (folder / name).write_bytes(history)
    health = write_records(health_records(1200, rng=np.random.default_rng(3)), read_record_rules("pwscup2021"))
    (folder / "B.csv").write_bytes(health)
    cells = [f"r{row},c{column},{1 + (row * 7 + column * 5) % 23}" for row in range(8) for column in range(8)]
    (folder / "t50x50.csv").write_text("\n".join(["v1,v2,n", *cells]) + "\n")
