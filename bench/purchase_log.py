"""A made-up purchase log as shops export them: customers, dates, stores, postal codes, JAN codes, products, amounts.

Everything is drawn from a seed. Customers have between 5 and 80 rows, few of them many; a customer has a home store and
a postal code near it, a handful of usual products, and comes more often than not in bursts.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.seeds import Seed

CUSTOMERS, ROWS, PRODUCTS, STORES = 2500, 60_000, 400, 12
FEWEST, MOST = 5, 80
FIRST_DAY, DAYS = date(2023, 4, 1), 366
WORDS = ("green tea", "rice", "miso", "tofu", "bread", "milk", "eggs", "soap", "noodles", "coffee")
SIZES = ("small", "large", "family", "organic", "bargain")


def draw_lengths(rng: np.random.Generator, customers: int, rows: int) -> NDArray[np.int64]:
    """Return how many rows each customer has: skewed, all within the limits, in all exactly as many as asked for."""
    share = rng.lognormal(0.0, 0.9, customers)
    low, high = 0.0, float(rows)
    for _ in range(60):
        scale = (low + high) / 2
        low, high = (scale, high) if np.clip(share * scale, FEWEST, MOST).sum() < rows else (low, scale)
    lengths = np.clip(np.round(share * high), FEWEST, MOST).astype(np.int64)
    while (gap := rows - int(lengths.sum())) != 0:
        able = np.flatnonzero(lengths < MOST if gap > 0 else lengths > FEWEST)
        lengths[rng.choice(able, size=min(abs(gap), len(able)), replace=False)] += np.sign(gap)
    return lengths


def make_jan(number: int) -> str:
    """Return a thirteen-digit code with its check digit."""
    body = f"4901234{number:05d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return f"{body}{-total % 10}"


def draw_log(*, seed: int = 20230401, customers: int = CUSTOMERS, rows: int = ROWS) -> pl.DataFrame:
    """Return the log, in order of time."""
    rng = Seed(seed).rng()
    lengths = draw_lengths(rng, customers, rows)
    owner = np.repeat(np.arange(customers), lengths)
    price = np.round(rng.lognormal(5.5, 0.7, PRODUCTS)).astype(np.int64) + 30
    names = [f"{WORDS[n % 10]} {SIZES[n // 10 % 5]} {n // 50 + 1}" for n in range(PRODUCTS)]
    fame = 1 / np.arange(1, PRODUCTS + 1) ** 0.9
    usual = rng.choice(PRODUCTS, size=(customers, 8), p=fame / fame.sum())
    any_product = rng.choice(PRODUCTS, size=rows, p=fame / fame.sum())
    product = np.where(rng.random(rows) < 0.6, usual[owner, rng.integers(0, 8, rows)], any_product)
    quantity = 1 + rng.geometric(0.65, rows) - 1
    middle, wide = rng.integers(0, DAYS, customers), rng.integers(20, 200, customers)
    day = np.clip(np.round(middle[owner] + wide[owner] * rng.normal(size=rows)), 0, DAYS - 1).astype(np.int64)
    home = rng.integers(0, STORES, customers)
    store = np.where(rng.random(rows) < 0.85, home[owner], rng.integers(0, STORES, rows))
    postal = 100_0001 + 1000 * home + rng.integers(0, 40, customers)
    order = np.lexsort((owner, day))
    frame = pl.DataFrame(
        {
            "customer_id": [f"C{number:05d}" for number in rng.permutation(100_000)[:customers][owner]],
            "date": [date.fromordinal(FIRST_DAY.toordinal() + int(step)).isoformat() for step in day],
            "store": [f"S{number:02d}" for number in store],
            "postal_code": [f"{code // 10000:03d}-{code % 10000:04d}" for code in postal[owner]],
            "jan": [make_jan(number) for number in product],
            "product": [names[number] for number in product],
            "amount": price[product] * quantity,
            "quantity": quantity,
        }
    )
    return frame[order]


def main() -> None:
    """Write the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--customers", type=int, default=CUSTOMERS)
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    draw_log(customers=arguments.customers, rows=arguments.rows).write_csv(arguments.out)


if __name__ == "__main__":
    main()
