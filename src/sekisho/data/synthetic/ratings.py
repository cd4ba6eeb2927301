"""People and how they rate films: a stand-in for the database of the contest of 2024.

The invented people have the columns of MovieLens-1M as the contest cut them: Name, Gender, Age (seven classes),
Occupation (0..20), ZIP-code, and 46 films rated 0 (not seen) to 5. Taste has a few hidden directions that lean on age
and gender; popular films are seen by more people, and whoever likes a film's direction sees it more often and rates it
higher. No person, rating or frequency of the real data is stored here: only the columns and their values.

Source of the columns: PWS Cup 2024, rules; Harper, Konstan, "The MovieLens datasets", ACM TiiS 5 (2015).
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import ndtri

from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.words import Said

AGES = ("1", "18", "25", "35", "45", "50", "56")
AGE_SHARES = (0.04, 0.18, 0.35, 0.20, 0.09, 0.08, 0.06)
OCCUPATIONS, ZIP_CODES, DIRECTIONS = 21, 1500, 4
NUMBERS = (
    "2 56 247 260 653 673 810 885 1009 1073 1097 1126 1525 1654 1702 1750 1881 1920 1967 2017 2021 2043 2086 2087 2093 "
    "2100 2105 2138 2143 2174 2193 2253 2399 2628 2797 2872 2968 3393 3438 3439 3440 3466 3479 3489 3877 3889"
)
FILMS = tuple(NUMBERS.split())


@checked_call
def make_ratings(people: int, *, films: tuple[str, ...] = FILMS, rng: np.random.Generator) -> pl.DataFrame:
    """Return invented people with five columns of their own and a rating of each film, all as texts.

    Raises:
        ParameterError: there is nobody.
    """
    if people < 1:
        raise ParameterError("people", Said("be at least 1"), people)
    woman = rng.random(people) < 0.3
    age = rng.choice(len(AGES), size=people, p=AGE_SHARES)
    weights = 1 / np.arange(2, OCCUPATIONS + 2)
    occupation = rng.choice(rng.permutation(OCCUPATIONS), size=people, p=weights / weights.sum())
    codes = np.unique(rng.integers(1000, 100000, size=2 * ZIP_CODES))
    codes = rng.permutation(codes)[:ZIP_CODES]
    zips = codes[np.minimum(rng.exponential(ZIP_CODES / 4, size=people).astype(np.int64), len(codes) - 1)]
    taste = rng.normal(size=(people, DIRECTIONS))
    taste[:, 0] += (age - 2.0) / 3
    taste[:, 1] += np.where(woman, 0.7, -0.3)
    lean = rng.normal(size=(DIRECTIONS, len(films))) / np.sqrt(DIRECTIONS)
    liking = taste @ lean
    seen = liking + rng.normal(size=liking.shape) > -ndtri(rng.uniform(0.1, 0.6, size=len(films)))
    stars = np.clip(np.rint(3.4 + 0.8 * liking + 0.7 * rng.normal(size=liking.shape)), 1, 5).astype(np.int64)
    ratings = np.where(seen, stars, 0)
    base = {
        "Name": [f"Person {number:05d}" for number in range(people)],
        "Gender": np.where(woman, "F", "M"),
        "Age": np.array(AGES)[age],
        "Occupation": occupation.astype(str),
        "ZIP-code": zips.astype(str),
    }
    return pl.DataFrame(base | {name: ratings[:, place].astype(str) for place, name in enumerate(films)})
