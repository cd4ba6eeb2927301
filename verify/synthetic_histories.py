"""Synthetic purchase histories beside the contest's round 2: their marginals as a table and as pictures.

``python verify/synthetic_histories.py [--figures DIR] [--data DIR]`` prints the table and writes the pictures, to
verify/out if no folder is named; without the contest's data (see ``real_data.py``) the synthetic column alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from real_data import add_data_option, find_data
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import read_original
from sekisho.data.synthetic.histories import DAYS, FIRST, SyntheticHistory
from sekisho.report.figures.gallery import Axis, Counts, Histogram, LineChart, Series, draw_standalone
from sekisho.report.kit.words import Words
from sekisho.seeds import Seed
from sekisho.words import bilingual

HERE = Path(__file__).parent
SEED = Seed(2018)
SYNTHETIC, REAL = bilingual("synthetic", "合成"), bilingual("contest, round 2", "コンテスト第二回")
LOG_EDGES = tuple(float(edge) for edge in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginal:
    """A figure of a history and the range that it must lie in, for synthetic and real data alike."""

    name: str
    low: float
    high: float
    of: Callable[[pl.DataFrame], float]


def _counts(frame: pl.DataFrame, *by: str) -> NDArray[np.float64]:
    return frame.group_by(by).len()["len"].to_numpy().astype(np.float64)


def _at(column: str, level: float) -> Callable[[pl.DataFrame], float]:
    return lambda frame: float(np.quantile(frame[column].to_numpy(), level))


def _modal_price(frame: pl.DataFrame) -> float:
    most = frame.group_by("item", "price").len().group_by("item").agg(pl.col("len").max())
    return float(most["len"].sum()) / frame.height


def _again(frame: pl.DataFrame) -> float:
    days = frame.group_by("customer", "item").agg(pl.col("date").n_unique())["date"].to_numpy()
    return float(np.mean(days > 1))


def _same_date(frame: pl.DataFrame) -> float:
    return float(np.median(_counts(frame, "customer", "date")))


def _correlation(frame: pl.DataFrame) -> float:
    return float(np.corrcoef(np.log(frame["price"].to_numpy()), np.log(frame["quantity"].to_numpy()))[0, 1])


PACKS = (1, 2, 3, 4, 6, 12, 24)
MARGINALS = (
    Marginal(name="rows", low=70_000, high=100_000, of=lambda f: f.height),
    Marginal(name="rows per customer, least", low=1, high=3, of=lambda f: float(_counts(f, "customer").min())),
    Marginal(name="rows per customer, median", low=34, high=44, of=lambda f: float(np.median(_counts(f, "customer")))),
    Marginal(
        name="rows per customer, 95%", low=250, high=380, of=lambda f: float(np.quantile(_counts(f, "customer"), 0.95))
    ),
    Marginal(name="rows per customer, most", low=1000, high=6000, of=lambda f: float(_counts(f, "customer").max())),
    Marginal(
        name="visits per customer, mean",
        low=2.8,
        high=4.2,
        of=lambda f: len(_counts(f, "customer", "date")) / f["customer"].n_unique(),
    ),
    Marginal(name="rows per visit, median", low=13, high=21, of=_same_date),
    Marginal(name="items sold", low=2900, high=3300, of=lambda f: float(f["item"].n_unique())),
    Marginal(name="rows of the best-selling item", low=350, high=650, of=lambda f: float(_counts(f, "item").max())),
    Marginal(name="rows per item, median", low=8, high=16, of=lambda f: float(np.median(_counts(f, "item")))),
    Marginal(name="customer–item pairs bought again on another day", low=0.18, high=0.26, of=_again),
    Marginal(name="rows at their item's usual price", low=0.85, high=0.94, of=_modal_price),
    Marginal(name="price in pence, 25%", low=85, high=145, of=_at("price", 0.25)),
    Marginal(name="price in pence, median", low=145, high=225, of=_at("price", 0.5)),
    Marginal(name="price in pence, 75%", low=295, high=425, of=_at("price", 0.75)),
    Marginal(name="price in pence, 99%", low=995, high=1995, of=_at("price", 0.99)),
    Marginal(name="quantity, median", low=3, high=6, of=_at("quantity", 0.5)),
    Marginal(name="quantity, 75%", low=10, high=12, of=_at("quantity", 0.75)),
    Marginal(name="quantity, 99%", low=96, high=160, of=_at("quantity", 0.99)),
    Marginal(name="quantity, largest", low=600, high=4000, of=lambda f: float(f["quantity"].to_numpy().max())),
    Marginal(
        name="rows with quantity 1, 2, 3, 4, 6, 12 or 24",
        low=0.7,
        high=0.85,
        of=lambda f: float(f["quantity"].is_in(PACKS).to_numpy().mean()),
    ),
    Marginal(name="correlation of log price and log quantity", low=-0.5, high=-0.25, of=_correlation),
    Marginal(
        name="rows in November", low=0.13, high=0.18, of=lambda f: float((f["date"].dt.month() == 11).to_numpy().mean())
    ),
    Marginal(name="days with sales", low=285, high=305, of=lambda f: float(f["date"].n_unique())),
)


def measured(data: Dataset) -> dict[str, float]:
    """Return every marginal of a history."""
    return {marginal.name: marginal.of(data.frame) for marginal in MARGINALS}


def _histogram(
    title: Words, x: Axis, values: tuple[NDArray[np.float64], NDArray[np.float64]], edges: tuple[float, ...]
) -> Histogram:
    shares = [tuple((100 * np.histogram(each, edges)[0] / len(each)).tolist()) for each in values]
    return Histogram(
        title=title,
        desc=bilingual(
            "Synthetic data filled, round 2 as an outline; the two nearly agree.",
            "塗りが合成データ、線が第二回データ。ほぼ一致する。",
        ),
        x=x,
        y=Axis(label=bilingual("share in %", "割合 (%)"), low=0.0),
        edges=edges,
        counts=(Counts(name=SYNTHETIC, values=shares[0]), Counts(name=REAL, values=shares[1])),
    )


def _ranked(name: Words, sold: NDArray[np.float64]) -> Series:
    rank = np.unique(np.rint(np.geomspace(1, len(sold), 120)).astype(np.int64))
    return Series(name=name, x=tuple(rank.tolist()), y=tuple(np.sort(sold)[::-1][rank - 1].tolist()))


def pictures(synthetic: Dataset, real: Dataset) -> dict[str, Histogram | LineChart]:
    """Return the marginals as pictures by name."""
    both = (synthetic.frame, real.frame)
    start = np.datetime64(FIRST).astype(np.int64)
    weeks = tuple(float(day) for day in range(0, DAYS + 7, 7))
    days = tuple(float(d) for d in np.arange(DAYS)[[0, 31, 62, 90, 121, 151, 182, 212, 243, 274, 304, 335]])
    names = tuple(
        bilingual(month, f"{number}月") for month, number in zip("DJFMAMJJASON", (12, *range(1, 12)), strict=True)
    )
    prices = tuple(np.round(np.geomspace(1, 30000, 27), 2).tolist())
    quantities = tuple(float(q) for q in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 36, 48, 96, 144, 288, 1000, 5000))
    return {
        "rows": _histogram(
            bilingual("Rows per customer", "顧客ごとの行数"),
            Axis(label=bilingual("rows of a customer", "顧客の行数"), log=True),
            (_counts(both[0], "customer"), _counts(both[1], "customer")),
            LOG_EDGES,
        ),
        "items": LineChart(
            title=bilingual("Rows per item", "商品ごとの行数"),
            desc=bilingual(
                "Items from the best-selling to the least; the two lines nearly agree.",
                "売れた順。二本の線はほぼ重なる。",
            ),
            x=Axis(label=bilingual("rank of the item", "商品の順位"), log=True),
            y=Axis(label=bilingual("rows", "行数"), log=True),
            series=(_ranked(SYNTHETIC, _counts(both[0], "item")), _ranked(REAL, _counts(both[1], "item"))),
        ),
        "prices": _histogram(
            bilingual("Prices of rows", "行の価格"),
            Axis(label=bilingual("price in pence", "価格（ペンス）"), log=True),
            (both[0]["price"].to_numpy().astype(np.float64), both[1]["price"].to_numpy().astype(np.float64)),
            prices,
        ),
        "quantities": _histogram(
            bilingual("Quantities of rows", "行の数量"),
            Axis(label=bilingual("quantity (from … to below the next)", "数量（次の目盛り未満まで）"), log=True),
            (both[0]["quantity"].to_numpy().astype(np.float64), both[1]["quantity"].to_numpy().astype(np.float64)),
            quantities,
        ),
        "dates": _histogram(
            bilingual("Rows per week", "週ごとの行数"),
            Axis(
                label=bilingual("week, December 2010 to November 2011", "週（2010年12月〜2011年11月）"),
                ticks=tuple(zip(days, names, strict=True)),
                low=0.0,
                high=weeks[-1],
            ),
            ((synthetic.grid("date") - start).astype(np.float64), (real.grid("date") - start).astype(np.float64)),
            weeks,
        ),
    }


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.3f}".rstrip("0")


def main() -> None:
    """Print the table and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, default=HERE / "out")
    parser.add_argument("--quick", action="store_true", help="the same; it takes a few seconds anyway")
    add_data_option(parser)
    options = parser.parse_args()
    folder: Path = options.figures
    synthetic = SyntheticHistory().draw(rng=SEED.rng())
    ours = measured(synthetic)
    place = find_data("pwscup2018/T_round2.csv", options.data)
    real = None if place is None else read_original(place, read_history_rules("pwscup2018"))
    theirs = measured(real) if real else {}
    print(f"| marginal | synthetic, seed {SEED.value} | round 2 | range kept by the tests |\n|---|---:|---:|---:|")
    for marginal in MARGINALS:
        value = ours[marginal.name]
        other = _short(theirs[marginal.name]) if theirs else "not found"
        limits = f"{_short(marginal.low)} to {_short(marginal.high)}"
        print(f"| {marginal.name} | {_short(value)} | {other} | {limits} |")
        assert marginal.low <= value <= marginal.high, marginal.name
    if real is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(
            {
                folder / f"synthetic-{name}.svg": draw_standalone(picture).encode()
                for name, picture in pictures(synthetic, real).items()
            }
        )


if __name__ == "__main__":
    main()
