"""Hospital data of a whole country: how much may be sampled if somebody knows one prefecture, or everybody?

The story is the one of Kikuchi's introduction: patients of all prefectures are put together; an employee of a hospital
in Kanagawa knows the patients of Kanagawa. The data are synthetic.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl

from sekisho.attack.records.posterior import Posterior
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import exact_table
from sekisho.data.records.microdata import count_categories
from sekisho.gate.frontier import rebuild_frontier
from sekisho.gate.records.candidate import SampledRows, attack_with_known_part
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.sampling import PartialKnowledge
from sekisho.seeds import Seed, secret_rng
from sekisho.utility.records.estimate import estimate_table

PREFECTURES = {"Tokyo": 0.35, "Kanagawa": 0.2, "Osaka": 0.25, "Hokkaido": 0.12, "Tottori": 0.08}
ILLNESSES = ("cancer", "diabetes", "heart", "influenza", "injury", "none")
RECORDS = 20_000


def patients(seed: Seed) -> Dataset:
    """Draw patients; illness depends on age."""
    rng = seed.rng()
    age = rng.choice(["0-19", "20-39", "40-59", "60-79", "80+"], RECORDS, p=[0.15, 0.25, 0.3, 0.2, 0.1])
    old = np.isin(age, ["60-79", "80+"])
    illness = np.where(
        old,
        rng.choice(ILLNESSES, RECORDS, p=[0.2, 0.2, 0.25, 0.1, 0.1, 0.15]),
        rng.choice(ILLNESSES, RECORDS, p=[0.05, 0.1, 0.05, 0.25, 0.2, 0.35]),
    )
    frame = pl.DataFrame(
        {
            "prefecture": rng.choice(list(PREFECTURES), RECORDS, p=list(PREFECTURES.values())),
            "sex": rng.choice(["f", "m"], RECORDS),
            "age": age,
            "illness": illness,
        }
    )
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in frame.columns)))


def main() -> None:
    """Plan, release, estimate and attack."""
    seed = Seed(1)
    country = patients(seed.child("patients"))
    acquainted = int((country.frame["prefecture"] == "Kanagawa").sum())

    adversary = PartialKnowledge(records=RECORDS, known=acquainted)
    size = adversary.largest_sample(Fraction(1, 3))
    print(f"1. He knows the {acquainted:,} patients of Kanagawa out of {RECORDS:,}.")
    print(f"   A sample of up to {size:,} keeps his chance at {adversary.risk(size).risk} or below,")
    print(f"   {adversary.risk(size).promise}.")
    sample = Sample(size=size, known=acquainted).apply(country, rng=secret_rng())
    tried = attack_with_known_part(
        SampledRows(data=country, drawn=sample.drawn), acquainted, seed=seed.child("known part")
    )
    print(
        f"   Released with {sample.detail['randomness']} randomness; {sample.uniques} patients are unique in the data;"
    )
    print(f"   of {tried.rate.trials} claims of somebody who knows so many patients {tried.rate.hits} were right.")

    print("2. He may know everybody. Sampling alone then promises nothing; PRAM and sampling together keep k = 5.")
    release = Pram(k=Fraction(5), sample=8_000).apply(country, rng=seed.child("release").rng())
    print(
        f"   8,000 records, values kept with chance {release.detail['retention']}: k = {float(release.guarantee.k):.4f}"
    )
    frontier = rebuild_frontier(count_categories(country), release.mechanism, Fraction(5))
    if frontier is not None:
        best, kept = frontier.best, float(frontier.best.retention or 0)
        print(f"   The analyst would be served best by {best.sample:,} records and retention {kept:.4f}.")

    published = Dataset(release.published(), country.schema)
    estimate, axes = estimate_table(published, release.mechanism, ("illness",))
    print("3. What the analyst estimates from it (truth in brackets):")
    truth = dict(country.frame["illness"].value_counts().iter_rows())
    for name, count, error in zip(axes["illness"], estimate.counts, estimate.errors, strict=True):
        print(f"   {name:<10} {count:>8,.0f} ± {1.96 * error:>5,.0f}   ({truth[name]:,})")

    guess = Posterior(mechanism=release.mechanism).guess(exact_table(published), country, rng=seed.child("guess").rng())
    hits = sum(int(person) == row for person, row in zip(guess.person, release.drawn.tolist(), strict=True))
    rate = HitRate(hits=hits, trials=len(guess))
    interval = f"{rate.value:.4f} ({rate.low:.4f} to {rate.high:.4f})"
    print(f"4. Whoever knows everything names {hits} of {len(guess):,} rightly: {interval},")
    print(f"   far below 1/k = {float(release.guarantee.risk):.4f}, which is for the worst person in the worst table.")


if __name__ == "__main__":
    main()
