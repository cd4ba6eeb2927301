"""Where people are, half-hour by half-hour: a stand-in for the traces of the contest of 2019.

Everybody has a home and a few places he goes to, near ones more often. He begins each day at home, stays where he is
with a certain chance, and else walks to a neighbouring region or goes to one of his places. Nobody's traces; what they
share with people's is that everybody has places of his own, which is what identifies him.

Source of the shape: PWS Cup 2019, rules Ver 1.4.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.region_cells import RegionGrid
from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.words import Said

PLACES, STAYS, GOES = 4, 0.6, 0.3
REACH = 5.0
"""How far, in regions, places are from home."""

TOKYO = RegionGrid(south=35.65, north=35.75, west=139.68, east=139.8, rows=32, columns=32)


@checked_call
def make_traces(
    people: int, *, days: int, times: int = 20, grid: RegionGrid = TOKYO, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return regions from 1, a row each person and a column each time.

    Raises:
        ParameterError: there is nobody, or no day.
    """
    if min(people, days, times) < 1:
        raise ParameterError("people", Said("be at least 1"), (people, days, times))
    sizes = np.array([grid.rows, grid.columns])
    home = (rng.beta(2, 2, size=(people, 1, 2)) * sizes).astype(np.int64)
    places = home + np.rint(rng.laplace(scale=REACH, size=(people, PLACES, 2))).astype(np.int64)
    places = np.concatenate([home, np.clip(places, 0, sizes - 1)], axis=1)
    wanted = rng.dirichlet(np.ones(PLACES + 1), size=people).cumsum(axis=1)
    traces = np.zeros((people, days * times), dtype=np.int64)
    here = home[:, 0]
    for time in range(days * times):
        goal = (rng.random((people, 1)) > wanted).sum(axis=1).clip(max=PLACES)
        step = np.clip(here + rng.integers(-1, 2, size=(people, 2)), 0, sizes - 1)
        what = rng.random((people, 1))
        here = np.where(what < STAYS, here, np.where(what < STAYS + GOES, places[np.arange(people), goal], step))
        here = home[:, 0] if time % times == 0 else here
        traces[:, time] = here[:, 0] * grid.columns + here[:, 1] + 1
    return traces


@checked_call
def make_trace_table(people: int, *, days: int, times: int = 20, rng: np.random.Generator) -> pl.DataFrame:
    """Return where people are at some days, and, as ``reference``, where they were at as many days before.

    Cells as texts; a row each person and time, person by person.
    """
    traces = make_traces(people, days=2 * days, times=times, rng=rng)
    before, after = traces[:, : days * times], traces[:, days * times :]
    return pl.DataFrame(
        {
            "user_id": np.repeat(np.arange(1, people + 1), days * times).astype(str),
            "time_id": np.tile(np.arange(1, days * times + 1), people).astype(str),
            "reg_id": after.ravel().astype(str),
            "reference": before.ravel().astype(str),
        }
    )
