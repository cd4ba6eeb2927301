"""Two small contests by the rules of PWS Cup 2026 and 2019, from dealing the originals to the standings, in seconds.

2026: cohorts that share people are dealt out by a hash of names and a salt; everybody draws a synthetic cohort from a
copula, and is attacked by the density of its release. 2019: traces are blurred to neighbouring regions, and attacked by
where people were seen before. Nobody of these people exists. ::

    python examples/later_cups.py
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.attack.tables.visits import VisitLikelihood, read_traces
from sekisho.cli import status_of
from sekisho.data.files.region_cells import RegionCells
from sekisho.data.files.zip_guard import pack_files
from sekisho.data.synthetic.patients import make_overlapping_cohorts
from sekisho.data.synthetic.traces import TOKYO, make_trace_table
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.protect.tables.region_sets import RegionSets
from sekisho.seeds import Seed

TEAMS = ("ann", "bob", "eve")
NUMBERS = ("age", "BMI", "SBP", "TG", "HDL", "ALT", "FPG")


def say(*words: object) -> None:
    """Run a command; it must end well."""
    if status_of([*map(str, words)]):
        raise SystemExit(f"{words} failed")


def begin(rules: str, originals: Path, cup: Path) -> None:
    """Begin a contest and open its final round."""
    say("contest", "new", cup, "--rules", rules, "--original", originals, "--seed", 7)
    say("contest", "open", cup, "register")
    say("contest", "register", cup, *TEAMS)
    say("contest", "open", cup, "anonymise", "--round", "final")


def end(cup: Path) -> None:
    """Close a contest and show how it stands."""
    say("contest", "open", cup, "evaluate", "--round", "final")
    say("contest", "open", cup, "reveal")
    say("contest", "standings", cup, "--round", "final")


def read_published(cup: Path, team: str, name: str) -> pl.DataFrame:
    """Return a table of what is published of a team."""
    with zipfile.ZipFile(cup / "rounds" / "final" / "published" / f"{team}.zip") as archive:
        return pl.read_csv(archive.read(name), infer_schema=False)


def draw_cohort(table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return a synthetic cohort in which the ill do not die, and the healthy stay to the end."""
    ill, dead = pl.col("onset") == "1", pl.col("death") == "1"
    drawn = CopulaTable(numbers=(*NUMBERS, "time")).apply(table.drop("record_id", "is_rare"), rng=rng)
    drawn = drawn.with_columns(pl.when(ill).then(pl.lit("0")).otherwise(pl.col("death")).alias("death"))
    return drawn.with_columns(pl.when(ill | dead).then(pl.col("time")).otherwise(pl.lit("10")))


def hold_2026(work: Path) -> None:
    """Deal cohorts out, release copulas, and ask who of one's own people is in another's cohort."""
    world = make_overlapping_cohorts(len(TEAMS), private=150, shared=50, background=600, rng=Seed(1).rng())
    (work / "cohorts").mkdir()
    for number, cohort in enumerate(world.cohorts, 1):
        cohort.write_csv(work / "cohorts" / f"{number}.csv")
    world.background.write_csv(work / "cohorts" / "background.csv")
    dealt = ["--originals", work / "cohorts", "--salt", work / "salt.txt", "--out", work / "originals"]
    say("contest", "deal", "pwscup2026", *TEAMS, *dealt)
    begin("pwscup2026", work / "originals", work / "cup")
    held = {team: pl.read_csv(work / "originals" / f"{team}.csv", infer_schema=False) for team in TEAMS}
    for team in TEAMS:
        draw_cohort(held[team], Seed(2).child(team).rng()).write_csv(work / f"{team}.csv")
        say("contest", "submit", work / "cup", "--team", team, "--released", work / f"{team}.csv", "--round", "final")
    say("contest", "open", work / "cup", "publish", "--round", "final")
    say("contest", "open", work / "cup", "attack", "--round", "final")
    for team in TEAMS:
        targets = [target for target in TEAMS if target != team]
        sure = {
            target: DensityRatio(columns=NUMBERS).guess(
                read_published(work / "cup", target, "released.csv"), world.background, held[team]
            )
            for target in targets
        }
        held[team].select("record_id").with_columns(pl.Series(*each) for each in sure.items()).write_csv(
            work / "F_mia.csv"
        )
        lines = [
            f"{target},{row},10\n"
            for target in targets
            for row in range(read_published(work / "cup", target, "challenges.csv").height)
        ]
        (work / "F_aia.csv").write_text("target_k,challenge_row_id,time_hat\n" + "".join(lines))
        parts = ["--part", f"membership={work / 'F_mia.csv'}", "--part", f"attribute={work / 'F_aia.csv'}"]
        say("contest", "attack", work / "cup", "--team", team, *parts, "--round", "final")
    end(work / "cup")


def hold_2019(work: Path) -> None:
    """Blur traces, and name people by where they were seen."""
    (work / "originals").mkdir(parents=True)
    for team in TEAMS:
        for part in ("01", "02"):
            table = make_trace_table(40, days=2, rng=Seed(3).child(team + part).rng())
            table.write_csv(work / "originals" / f"{team}-{part}.csv")
    begin("pwscup2019", work / "originals", work / "cup")
    for blur, team in enumerate(TEAMS):
        for part in ("01", "02"):
            table = pl.read_csv(work / "originals" / f"{team}-{part}.csv", infer_schema=False)
            method = RegionSets(column="reg_id", columns=32, rows=32, reach=blur)
            method.apply(table, rng=Seed(4).rng()).select("reg_id").write_csv(work / f"{team}-{part}.csv")
        parts = [word for part in ("01", "02") for word in ("--part", f"{part}={work / f'{team}-{part}.csv'}")]
        say("contest", "submit", work / "cup", "--team", team, *parts, "--round", "final")
    say("contest", "open", work / "cup", "publish", "--round", "final")
    say("contest", "open", work / "cup", "attack", "--round", "final")
    for attacker in TEAMS:
        for target in TEAMS:
            if attacker != target:
                (work / "answers.zip").write_bytes(name_people(work / "cup", target))
                words = ["--team", attacker, "--target", target, "--guess", work / "answers.zip"]
                say("contest", "attack", work / "cup", *words, "--round", "final")
    end(work / "cup")


def name_people(cup: Path, target: str) -> bytes:
    """Return who is who in both sets of a team, and where everybody was."""
    answers: dict[str, bytes] = {}
    for part in ("01", "02"):
        known = read_published(cup, target, f"{part}-reference.csv")
        reference = known["reg_id"].cast(pl.Int64).to_numpy().reshape(known["user_id"].n_unique(), -1)
        cells = RegionCells.parse(read_published(cup, target, f"{part}.csv")["reg_id"])
        named = VisitLikelihood(regions=TOKYO.regions, once=True).guess(reference, cells)
        traces = read_traces(named, cells, regions=TOKYO.regions, rng=Seed(5).rng()).ravel()
        for question, column, figures in (("id", "user_id", named + 1), ("trace", "reg_id", traces)):
            answers[f"{question}-{part}.csv"] = pl.DataFrame({column: figures}).write_csv().encode()
    return pack_files(answers)


def main() -> None:
    """Hold both contests."""
    for hold in (hold_2026, hold_2019):
        with TemporaryDirectory() as place:
            hold(Path(place))


if __name__ == "__main__":
    main()
