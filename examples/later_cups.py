"""Small contests by the rules of PWS Cup 2023, 2024, iPWS 2024, 2025, 2026 and 2019, from originals to standings.

2023: public columns are exchanged between rows that nearly agree, and attacked by sorting. 2024 and iPWS 2024: films
are dealt out anew in ten sheets, and attacked by all sheets together. 2025: patients are drawn from copulas with a
model of trees, and attacked by the nearest rows. 2026: cohorts that share people are dealt out by a hash of names and a
salt; everybody draws a synthetic cohort from a copula, and is attacked by the density of its release. 2019: traces are
blurred to neighbouring regions, and attacked by where people were seen before. Nobody of these people exists. ::

    python examples/later_cups.py [pwscup2024 …]
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.attack.tables.nearest_marks import NearestMarks
from sekisho.attack.tables.sheet_likelihood import SheetLikelihood
from sekisho.attack.tables.sorted_lines import SortedLines
from sekisho.attack.tables.visits import VisitLikelihood, read_traces
from sekisho.cli import status_of
from sekisho.contest.rulebook import read_tables_rules
from sekisho.data.files.region_cells import RegionCells
from sekisho.data.files.zip_guard import pack_files
from sekisho.data.synthetic.patients import make_overlapping_cohorts, make_patients
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.data.synthetic.traces import TOKYO, make_trace_table
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.protect.tables.deal_evenly import DealEvenly
from sekisho.protect.tables.near_swap import NearSwap
from sekisho.protect.tables.region_sets import RegionSets
from sekisho.seeds import Seed
from sekisho.utility.tables.number_columns import code_features, drop_constant, parse_numbers

TEAMS = ("ann", "bob", "eve")
BASE = ("Gender", "Age", "Occupation", "ZIP-code")
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


def make_small(work: Path, like: str, rows: int) -> Path:
    """Write rules like those of a contest, for originals of so many rows, and return their file."""
    rules = work / "rules.toml"
    say("contest", "init", "--like", like, "--name", "small", "--rows", rows, "--round", "final=1", "--out", rules)
    (work / "originals").mkdir()
    return rules


def release_and_publish(work: Path, parts: dict[str, dict[str, bytes]]) -> None:
    """Hand releases in, part by part, and open the phase of attacks."""
    for team, files in parts.items():
        words: list[object] = []
        for name, data in files.items():
            (work / f"{team}-{name}").write_bytes(data)
            words += ["--part", f"{name}={work / f'{team}-{name}'}"]
        say("contest", "submit", work / "cup", "--team", team, *words, "--round", "final")
    say("contest", "open", work / "cup", "publish", "--round", "final")
    say("contest", "open", work / "cup", "attack", "--round", "final")


def attack_others(work: Path, attacker: str, target: str, answer: pl.DataFrame) -> None:
    """Hand an attack in, as a file without a header."""
    answer.write_csv(work / "answer.csv", include_header=False)
    words = ["--team", attacker, "--target", target, "--guess", work / "answer.csv", "--round", "final"]
    say("contest", "attack", work / "cup", *words)


def list_attacks() -> list[tuple[str, str]]:
    """Return who attacks whom: everybody all others."""
    return [(attacker, target) for attacker in TEAMS for target in TEAMS if attacker != target]


def hold_2023(work: Path, like: str = "pwscup2023") -> None:
    """Exchange public columns between near rows, and pair sorted lines."""
    rules = make_small(work, like, 400)
    public, secret = [f"p{place}" for place in range(8)], [f"s{place}" for place in range(10)]
    cells = draw_public_cells(rows=400, columns=8, rng=Seed(1).rng())
    known = pl.DataFrame({name: cells[:, place].astype(str) for place, name in enumerate(public)})
    known.write_csv(work / "originals" / "original.csv", include_header=False)
    begin(str(rules), work / "originals" / "original.csv", work / "cup")
    parts: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS, 1):
        hidden = draw_secret_cells(number, rows=400)
        whole = known.with_columns(pl.Series(name, hidden[:, place].astype(str)) for place, name in enumerate(secret))
        method = NearSwap(known=tuple(public), agree=2 * number)
        released = method.apply(whole, rng=Seed(2).child(team).rng()).write_csv(include_header=False)
        parts[team] = {"released": released.encode(), "seed": f"{number}\n".encode()}
    release_and_publish(work, parts)
    for attacker, target in list_attacks():
        with zipfile.ZipFile(work / "cup" / "rounds" / "final" / "published" / f"{target}.zip") as archive:
            published = pl.read_csv(archive.read("released.csv"), has_header=False, infer_schema=False)
        named = published.rename(dict(zip(published.columns, public + secret, strict=True)))
        attack_others(work, attacker, target, SortedLines().guess(known, named, rng=Seed(3).rng()))
    end(work / "cup")


def hold_2024(work: Path, like: str = "pwscup2024") -> None:
    """Deal films out over postcodes, sheet by sheet, and look at all sheets together."""
    rules = make_small(work, like, 200)
    sheets = {part.name: list(part.columns) for part in read_tables_rules(str(rules)).release.parts if part.is_table}
    parts: dict[str, dict[str, bytes]] = {}
    for team in TEAMS:
        tables = [make_ratings(200, rng=Seed(4).child(f"{team} {number}").rng()) for number in (1, 2, 3)]
        for number, table in enumerate(tables, 1):
            table.write_csv(work / "originals" / f"{team}-{number}.csv")
        method, rng = DealEvenly(over="ZIP-code", kept=BASE), Seed(5).child(team).rng()
        dealt = {name: method.apply(tables[1].select(columns), rng=rng) for name, columns in sheets.items()}
        parts[team] = {"choice": b"2\n"} | {name: table.write_csv().encode() for name, table in dealt.items()}
    begin(str(rules), work / "originals", work / "cup")
    release_and_publish(work, parts)
    for attacker, target in list_attacks():
        asked = [read_published(work / "cup", target, f"{name}.csv") for name in ("known", "masked", *sheets)]
        attack_others(work, attacker, target, SheetLikelihood(known=BASE).guess(asked[0], asked[1], asked[2:]))
    end(work / "cup")


def hold_2025(work: Path, like: str = "pwscup2025") -> None:
    """Draw patients from copulas by age with a model trained on them, and mark the candidates nearest to them."""
    rules = make_small(work, like, 300)
    texts = ("GENDER", "RACE", "ETHNICITY")
    parts: dict[str, dict[str, bytes]] = {}
    for team in TEAMS:
        rng = Seed(6).child(team).rng()
        for number in (1, 2, 3):
            candidates = make_patients(1500, rng=rng)
            inside = np.zeros(1500, dtype=np.int64)
            inside[rng.choice(1500, size=300, replace=False)] = 1
            member = pl.Series("member", inside)
            candidates.with_columns(member).write_csv(work / "originals" / f"{team}-{number}.csv")
            held = candidates.filter(member == 1)
        numbers = tuple(name for name in held.columns if name not in texts and not name.endswith("_flag"))
        drawn = CopulaTable(numbers=numbers, by="AGE", bounds=(18, 45, 65, 75)).apply(held, rng=rng)
        features = drop_constant(code_features(drawn.drop("stroke_flag"), share=0))
        model = BoostedTrees().train(features, parse_numbers(drawn["stroke_flag"]), target="stroke_flag")
        parts[team] = {"choice": b"3\n", "released": drawn.write_csv().encode(), "model": model}
    begin(str(rules), work / "originals", work / "cup")
    release_and_publish(work, parts)
    for attacker, target in list_attacks():
        asked = [read_published(work / "cup", target, f"{name}.csv") for name in ("candidates", "released")]
        marked = NearestMarks(marked=300, relative=attacker == "eve").guess(*asked)
        attack_others(work, attacker, target, pl.DataFrame({"mark": marked.astype(np.int64)}))
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


HELD: dict[str, Callable[[Path], None]] = {
    "pwscup2023": hold_2023,
    "pwscup2024": hold_2024,
    "ipwscup2024": lambda work: hold_2024(work, "ipwscup2024"),
    "pwscup2025": hold_2025,
    "pwscup2026": hold_2026,
    "pwscup2019": hold_2019,
}


def main() -> None:
    """Hold the contests that are named, or all."""
    for name in sys.argv[1:] or HELD:
        with TemporaryDirectory() as place:
            HELD[name](Path(place))


if __name__ == "__main__":
    main()
