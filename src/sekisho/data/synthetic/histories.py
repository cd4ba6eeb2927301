"""Synthetic purchase histories: nobody's purchases, with the shape of a real shop's.

Deterministic in the generator. The shape is that of the wholesale gift shop behind the contest of 2018 (UCI Online
Retail; Chen, Sain, Guo, "Data mining for the online retail industry", 2012), calibrated by quantiles against round 2 of
the contest; docs/methods/synthetic-histories.md shows both side by side. No row, code or number of the real data is
stored here: only the round figures below.

============  =======================================================================================================
rows          per customer: log-normal, median 40, spread 1.22 (stratified, so that the total is steady)
visits        rows over a log-normal basket that grows with the customer; days by month, weekday and holidays
items         Zipf's law r^-0.27 with an exponential cut-off at rank 850; a repeat takes an item of an earlier visit
prices        one per item, log-normal, on the price points shops use; half of the items change it once or twice
quantities    pack sizes; large for cheap items and wholesale customers (a Gaussian copula), a Pareto tail
============  =======================================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

HISTORY = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FIRST, DAYS = date(2010, 12, 1), 365
# How busy the months are, December to November, and the weekdays, Monday to Sunday; the shop is closed on Saturdays.
MONTHS: Floats = np.array([6.3, 5.7, 4.8, 7.0, 5.8, 7.3, 6.1, 6.3, 6.0, 9.3, 10.9, 13.8])
WEEKDAYS: Floats = np.array([13.8, 14.0, 15.6, 16.7, 12.3, 0.0, 17.0])
HOLIDAYS = (("2010-12-24", "2011-01-03"), ("2011-04-22", "2011-04-25"), ("2011-04-29", "2011-05-02"))
CHEAP = (4, 12, 19, 29, 39, 42, 55, 65, 72, 85, 95, 125, 145, 165, 195, 210, 225, 255, 295, 325, 375, 395, 425, 495)
DEAR = (595, 675, 795, 850, 995, 1275, 1495, 1695, 1995, 2495, 2995, 3995, 4995, 6995, 9995, 16500, 29500)
POINTS = np.array((*CHEAP, *DEAR))
FAVOURITES = np.array([19, 42, 85, 125, 165, 210, 295, 375, 495, 795, 1275, 2495, 4995])
CHANGES = np.array([0.81, 0.85, 0.88, 1.13, 1.2, 2.5])
PACKS = np.array([1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 48, 50, 60, 72, 96, 100])
PACK_SHARES = np.array(
    [
        18.7,
        16.1,
        7.6,
        8.3,
        2.3,
        9.6,
        2.9,
        0.4,
        5.3,
        14.2,
        0.5,
        1.0,
        0.5,
        1.3,
        5.6,
        1.2,
        0.4,
        1.0,
        1.3,
        0.3,
        0.3,
        0.4,
        0.4,
        0.4,
    ]
)
TAIL, TAIL_START, TAIL_EXPONENT, LARGEST = 0.011, 108.0, 1.6, 4000.0
CUT_OFF = 850.0


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SyntheticHistory:
    """A shop whose customers do not exist.

    Attributes:
        customers: how many people buy.
        items: how many articles the shop carries; rare ones may stay unsold.
        median_rows: of the rows per customer.
        spread: standard deviation of the logarithm of the rows per customer.
        repeat: the chance that a row of a later visit buys again what an earlier visit bought.
    """

    customers: int = 1000
    items: int = 3250
    median_rows: float = 40.0
    spread: float = 1.22
    repeat: float = 0.27

    def __post_init__(self) -> None:
        for name, value in (("customers", self.customers), ("items", self.items)):
            if not 1 <= value <= 10_000_000:
                raise ParameterError(name, Said("lie between 1 and 10,000,000"), value)
        if not self.median_rows >= 1:
            raise ParameterError("median_rows", Said("be at least 1"), self.median_rows)
        if not 0 <= self.spread <= 3:
            raise ParameterError("spread", Said("lie between 0 and 3"), self.spread)
        if not 0 <= self.repeat <= 1:
            raise ParameterError("repeat", Said("lie between 0 and 1"), self.repeat)

    def draw(self, *, rng: np.random.Generator) -> Dataset:
        """Return a history in the order of its days, each visit's rows together."""
        rows = self._draw_rows(rng)
        owner, day = _draw_visits(rows, rng)
        first_of_visit = _find_run_starts(owner * DAYS + day)
        source = _draw_repeats(owner, first_of_visit, self.repeat, rng)
        item = self._draw_items(len(owner), rng)[source]
        price = _draw_prices(self.items, item, day, rng)
        quantity = _draw_quantities(rows, owner, item, price, source, rng)
        order = np.lexsort((rng.permutation(self.customers)[owner], day))
        names = np.sort(12346 + rng.choice(6 * self.customers, self.customers, replace=False))
        codes = _draw_codes(self.items, rng)
        frame = pl.DataFrame(
            {
                "customer": pl.Series(names[owner[order]]).cast(pl.String),
                "date": pl.Series(day[order] + np.datetime64(FIRST).astype(np.int64)).cast(pl.Int32).cast(pl.Date),
                "item": codes.gather(item[order]),
                "price": price[order],
                "quantity": quantity[order],
            }
        )
        return Dataset(frame, HISTORY)

    def _draw_rows(self, rng: np.random.Generator) -> Ints:
        strata = (rng.permutation(self.customers) + rng.random(self.customers)) / self.customers
        rows = self.median_rows * np.exp(self.spread * ndtri(strata))
        return np.maximum(1, np.rint(rows)).astype(np.int64)

    def _draw_items(self, count: int, rng: np.random.Generator) -> Ints:
        rank = np.arange(1, self.items + 1)
        return _draw_positions(rank**-0.27 * np.exp(-rank / CUT_OFF), count, rng)


def _draw_positions(weights: NDArray[np.floating], count: int, rng: np.random.Generator) -> Ints:
    """Return positions drawn with weights."""
    edges = np.cumsum(weights)
    return np.minimum(np.searchsorted(edges, rng.random(count) * edges[-1], side="right"), len(weights) - 1)


def _weigh_days() -> Floats:
    days = np.datetime64(FIRST) + np.arange(DAYS)
    month = (days.astype("datetime64[M]") - np.datetime64(FIRST, "M")).astype(np.int64)
    weight: Floats = WEEKDAYS[(days.astype(np.int64) + 3) % 7]  # day 0 was a Thursday
    for start, end in HOLIDAYS:
        weight = np.where((days >= np.datetime64(start)) & (days <= np.datetime64(end)), 0.0, weight)
    return weight * (MONTHS / np.bincount(month, weights=weight))[month]


def _draw_visits(rows: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the owner and the day of every row, sorted by both.

    The basket grows with the customer: log basket = log 18 + 0.35 (log rows - log 40) + 0.5 z.
    """
    basket = 18.0 * (rows / 40.0) ** 0.35 * np.exp(0.5 * rng.standard_normal(len(rows)))
    visits = np.clip(np.rint(rows / basket).astype(np.int64), 1, rows)
    visitor = np.repeat(np.arange(len(rows)), visits)
    day = _draw_positions(_weigh_days(), len(visitor), rng)
    size = np.cumsum(rng.gamma(1.6, size=len(visitor)))
    # A row falls on one of its owner's visits in proportion to the visit's size: a place on the owner's stretch of the
    # line of all sizes.
    ends = size[np.cumsum(visits) - 1]
    begins = np.concatenate([[0.0], ends[:-1]])
    owner = np.repeat(np.arange(len(rows)), rows)
    place = begins[owner] + rng.random(len(owner)) * (ends - begins)[owner]
    last = np.cumsum(visits)[owner] - 1
    chosen = day[np.clip(np.searchsorted(size, place, side="right"), last - visits[owner] + 1, last)]
    order = np.lexsort((chosen, owner))
    return owner[order], chosen[order]


def _find_run_starts(keys: Ints) -> Ints:
    """Return for each row of sorted keys where the run of its key begins."""
    return np.searchsorted(keys, keys, side="left")


def _draw_repeats(owner: Ints, first_of_visit: Ints, chance: float, rng: np.random.Generator) -> Ints:
    """Return for each row the row whose item it buys: itself, or one of its owner's earlier visits.

    A row that repeats is followed to its own source.
    """
    first = _find_run_starts(owner)
    earlier = first_of_visit - first
    repeats = (earlier > 0) & (rng.random(len(owner)) < chance)
    source = np.where(repeats, first + (rng.random(len(owner)) * earlier).astype(np.int64), np.arange(len(owner)))
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def _draw_prices(items: int, item: Ints, day: Ints, rng: np.random.Generator) -> Ints:
    """Return each row's price in pence: its item's list price.

    Half of the items change theirs once or twice, mostly early or late.
    What sells well (a low rank) is seldom very cheap or very dear.
    """
    spread = 0.78 + 0.3 * np.arange(items) / items
    target = 180.0 * np.exp(spread * rng.standard_normal(items))
    listed = np.where(rng.random(items) < 0.5, _round_to_points(target, FAVOURITES), _round_to_points(target, POINTS))
    price = listed[item]
    for share in (0.5, 0.15):
        changes = rng.random(items) < share
        since = DAYS * rng.beta(0.5, 0.5, items)
        changed = _round_to_points(listed * rng.choice(CHANGES, items), POINTS)
        price = np.where(changes[item] & (day >= since[item]), changed[item], price)
    return price


def _round_to_points(price: Floats, points: Ints) -> Ints:
    middle = np.sqrt(points[1:] * points[:-1])
    return points[np.searchsorted(middle, price)]


def _draw_quantities(rows: Ints, owner: Ints, item: Ints, price: Ints, source: Ints, rng: np.random.Generator) -> Ints:
    """Return quantities: a normal score of customer, item, price and chance, through the quantiles of the pack sizes.

    Wholesale customers have few rows and large quantities. A repeat often takes the quantity of its source, as a
    standing order does.
    """
    customer = 0.55 * rng.standard_normal(len(rows)) - 0.18 * np.log(rows / np.median(rows))
    article = 0.5 * rng.standard_normal(int(item.max()) + 1)
    score = customer[owner] + article[item] - 0.4 * np.log(price / 195.0) + 0.42 * rng.standard_normal(len(owner))
    level = ndtr((score - score.mean()) / max(float(score.std()), 1e-12))
    edges = np.cumsum(PACK_SHARES) / PACK_SHARES.sum() * (1 - TAIL)
    packs = PACKS[np.minimum(np.searchsorted(edges, level), len(PACKS) - 1)]
    beyond = np.maximum((1 - level) / TAIL, 1e-12)
    tail = np.minimum(TAIL_START * beyond ** (-1 / TAIL_EXPONENT), LARGEST)
    quantity = np.where(level > 1 - TAIL, (12 * np.rint(tail / 12)).astype(np.int64), packs)
    return np.where(rng.random(len(owner)) < 0.5, quantity[source], quantity)


def _draw_codes(items: int, rng: np.random.Generator) -> pl.Series:
    """Return distinct article codes: five digits or more, one in five with a letter behind."""
    digits = 20000 + rng.choice(max(70000, 4 * items), items, replace=False)
    letters = np.where(rng.random(items) < 0.2, rng.choice(np.array(list("ABCDEFL")), items), "")
    return pl.Series(np.char.add(digits.astype(np.str_), letters).tolist(), dtype=pl.String)
