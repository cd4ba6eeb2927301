"""A made-up file of a hospital: CP932, years of Japanese eras, readings that were not taken, names and remarks."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from sekisho.seeds import Seed

FAMILY = ("見本", "仮名", "架空", "例示", "試験", "練習", "模擬", "想定")
GIVEN = ("一郎", "二子", "三郎", "四葉", "五月", "六助", "七海", "八重")
ERAS = ((date(2019, 5, 1), "令和"), (date(1989, 1, 8), "平成"), (date(1926, 12, 25), "昭和"))
TOWNS = ("千代田区", "港区", "品川区", "目黒区", "大田区")
ILLNESSES = ("高血圧", "糖尿病", "喘息", "なし", "なし", "なし")
HEADER = "患者番号,氏名,生年月日,性別,住所,収縮期血圧,診断名,受診日"


def write_era(day: date) -> str:
    """Return a day by its era."""
    start, era = next(pair for pair in ERAS if day >= pair[0])
    year = day.year - start.year + 1
    return f"{era}{'元' if year == 1 else year}年{day.month}月{day.day}日"


def make_hospital(rows: int = 300, *, seed: int = 5) -> str:
    """Return the text of the file."""
    rng = Seed(seed).rng()
    lines = [HEADER]
    for number in range(rows):
        born = date(1935, 1, 1) + timedelta(days=int(rng.integers(0, 30_000)))
        seen = date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 180)))
        name = f"{FAMILY[rng.integers(8)]} {GIVEN[rng.integers(8)]}"
        pressure = "未測定" if rng.random() < 0.08 else str(int(rng.normal(130, 15)))
        lines.append(
            f"P{number:05},{name},{write_era(born)},{'男女'[rng.integers(2)]},{TOWNS[rng.integers(5)]},"
            f"{pressure},{ILLNESSES[rng.integers(6)]},{seen:%Y/%m/%d}"
        )
    return "\r\n".join(lines) + "\r\n"


def write_hospital(folder: Path, rows: int = 300) -> Path:
    """Write the file, and return where it is."""
    path = folder / "外来.csv"
    path.write_bytes(make_hospital(rows).encode("cp932"))
    return path
