"""Write made-up files for the desk, in which nobody exists: ``python tests_browser/made_up.py FOLDER NAME…``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.seeds import Seed

PEOPLE, CUSTOMERS, PATIENTS, FIRMS, MANY = 1600, 40, 500, 160, 1_000_000
SEED = 2026
JOBS = ("sales", "office", "nurse", "cook", "driver", "teacher", "student", "retired")
ILLNESSES = ("none", "hypertension", "asthma", "diabetes")
POSTCODES = tuple(f"15{area}-00{block:02}" for area in range(8) for block in range(1, 9))
REGIONS = tuple(f"0{area}{block}" for area in range(1, 7) for block in range(1, 5))
NAMES = ("見本 一子", "仮野 二郎", "例田 三香", "架空 四朗", "見本 五月", "仮野 六助", "例田 七海")


def choose(rng: np.random.Generator, values: tuple[str, ...], rows: int, *, steep: float = 0.0) -> pl.Series:
    """Return values drawn for each row, the first ones more often if it is steep."""
    weights = np.exp(-steep * np.arange(len(values)))
    return pl.Series(np.asarray(values)[rng.choice(len(values), rows, p=weights / weights.sum())])


def draw_days(rng: np.random.Generator, first: date, last: date, rows: int) -> pl.Series:
    """Return days drawn for each row."""
    start = first.toordinal()
    return pl.Series([date.fromordinal(int(day)) for day in rng.integers(start, last.toordinal() + 1, rows)])


def make_people(rows: int = PEOPLE) -> pl.DataFrame:
    """Return records of people with names, dates of birth and postal codes."""
    rng = Seed(SEED).child("people").rng()
    income = pl.Series(10_000 * np.rint(rng.normal(420, 110, rows)).astype(np.int64))
    return pl.DataFrame(
        {
            "id": range(1, rows + 1),
            "name": [f"{'ABCDEFGH'[number % 8]}. Nobody{number}" for number in range(rows)],
            "birth_date": draw_days(rng, date(1935, 1, 1), date(2008, 12, 31), rows),
            "sex": choose(rng, ("F", "M"), rows),
            "postcode": choose(rng, POSTCODES, rows),
            "occupation": choose(rng, JOBS, rows, steep=0.15),
            "income": pl.select(pl.when(pl.Series(rng.random(rows) < 0.03)).then(None).otherwise(income)).to_series(),
            "illness": choose(rng, ILLNESSES, rows, steep=0.8),
        }
    )


def make_many() -> pl.DataFrame:
    """Return a million people with few different values, as a register of a city has them."""
    rng = Seed(SEED).child("many").rng()
    return pl.DataFrame(
        {
            "person_id": range(1, MANY + 1),
            "age": rng.integers(0, 100, MANY),
            "sex": choose(rng, ("F", "M"), MANY),
            "district": choose(rng, tuple(f"{number:02}" for number in range(1, 24)), MANY, steep=0.05),
            "occupation": choose(rng, JOBS, MANY, steep=0.3),
            "illness": choose(rng, ILLNESSES, MANY, steep=0.8),
        }
    )


def make_log() -> pl.DataFrame:
    """Return what customers bought: who, when, what, how much."""
    rng = Seed(SEED).child("log").rng()
    buyers = np.repeat(np.arange(1, CUSTOMERS + 1), rng.integers(4, 10, CUSTOMERS))
    return pl.DataFrame(
        {
            "customer": [f"C{buyer:04}" for buyer in buyers],
            "date": draw_days(rng, date(2026, 1, 1), date(2026, 3, 31), len(buyers)),
            "item": choose(rng, ("tea", "rice", "soap", "ink"), len(buyers)),
            "quantity": rng.integers(1, 6, len(buyers)),
        }
    )


def make_hospital() -> pl.DataFrame:
    """Return records of a Japanese hospital: dates by eras, 未測定, codes that begin with a nought."""
    rng = Seed(SEED).child("hospital").rng()
    born = draw_days(rng, date(1945, 1, 1), date(2008, 12, 31), PATIENTS)
    pressure = [str(value) for value in rng.integers(95, 176, PATIENTS)]
    return pl.DataFrame(
        {
            "患者番号": [f"{number:06}" for number in range(1, PATIENTS + 1)],
            "氏名": choose(rng, NAMES, PATIENTS),
            "生年月日": [write_era(day) for day in born],
            "性別": choose(rng, ("男", "女"), PATIENTS),
            "地域コード": choose(rng, REGIONS, PATIENTS),
            "収縮期血圧": ["未測定" if rng.random() < 0.1 else value for value in pressure],
            "診断名": choose(rng, ("なし", "高血圧", "喘息", "糖尿病"), PATIENTS, steep=0.4),
        }
    )


def write_era(day: date) -> str:
    """Return a day by its era."""
    era, before = ("平成", 1988) if day >= date(1989, 1, 8) else ("昭和", 1925)
    return f"{era}{day.year - before}年{day.month}月{day.day}日"


def make_firms() -> pl.DataFrame:
    """Return firms with region, trade, size and turnover."""
    rng = Seed(SEED).child("firms").rng()
    return pl.DataFrame(
        {
            "firm": [f"F{number:04}" for number in range(1, FIRMS + 1)],
            "region": choose(rng, ("north", "east", "south", "west"), FIRMS, steep=0.3),
            "trade": choose(rng, ("food", "wood", "metal", "paper"), FIRMS, steep=0.3),
            "size": choose(rng, ("small", "large"), FIRMS, steep=0.6),
            "turnover": np.rint(np.exp(rng.normal(5, 1.3, FIRMS))).astype(np.int64),
        }
    )


FILES: Mapping[str, Callable[[], bytes | pl.DataFrame]] = {
    "people.csv": make_people,
    "purchases.csv": make_log,
    "外来.csv": lambda: make_hospital().write_csv(line_terminator="\r\n").encode("cp932"),
    "firms.csv": make_firms,
    "register.parquet": make_many,
}


def write_file(path: Path) -> None:
    """Write the file of a name."""
    content = FILES[path.name]()
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif path.suffix == ".parquet":
        content.write_parquet(path)
    else:
        content.write_csv(path)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        write_file(Path(sys.argv[1]) / name)
