"""Small contests under the rules of 2019 and 2023 to 2026, run to their end: every file made here, of nobody's data."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.contest.answers.confidence import ConfidenceAnswer
from sekisho.contest.answers.interval import IntervalAnswer
from sekisho.contest.answers.mark import MarkAnswer
from sekisho.contest.answers.match import MatchAnswer
from sekisho.contest.event import Chosen, Event, Opened, Registered
from sekisho.contest.folder.desk import publish_round, submit_attack, submit_release, write_final_guesses
from sekisho.contest.folder.live import LiveContest, create_contest
from sekisho.contest.rulebook import RULEBOOKS, read_rulebook
from sekisho.contest.rules import PhaseKind
from sekisho.data.files.zip_guard import pack_files
from sekisho.data.synthetic.patients import make_overlapping_cohorts
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.data.synthetic.traces import make_trace_table
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.seeds import Seed

DAY = "2026-01-{:02d}T00:00:00.000000Z"
TEAMS = ("ann", "bob", "eve")
ROWS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCup:
    """What a small contest needs: its rules, its original, and the files of releases and attacks.

    Attributes:
        files: by team the parts of its release, by name.
        answer: what an attack is, by attacker and target.
    """

    rules: str
    originals: Mapping[str, bytes]
    files: Mapping[str, Mapping[str, bytes]]
    answer: Callable[[np.random.Generator, str, str], bytes]


def write_csv(table: pl.DataFrame, *, header: bool = True) -> bytes:
    """Return a table as CSV."""
    return table.write_csv(include_header=header).encode()


def read_rules(name: str, **changes: str) -> str:
    """Return the text of a rulebook with some words replaced."""
    text = (RULEBOOKS / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def make_2023(rng: np.random.Generator) -> TableCup:
    """Return a contest of 2023: everybody changes some cells, and guesses at random."""
    public = draw_public_cells(rows=ROWS, columns=6, rng=rng)
    files: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS):
        cells = np.hstack([public, draw_secret_cells(number + 5, rows=ROWS)]).astype(str)
        cells[rng.random(cells.shape) < 0.1 * number] = "*"
        lines = "\n".join(",".join(row) for row in cells.tolist()) + "\n"
        files[team] = {"released": lines.encode(), "seed": f"{number + 5}\n".encode()}

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        del attacker, target
        cells = draw.integers(10, size=(ROWS, 10)).astype(str)
        return ("\n".join(",".join(row) for row in cells.tolist()) + "\n").encode()

    original = write_csv(pl.DataFrame(public), header=False)
    return TableCup(rules=read_rules("pwscup2023"), originals={"original.csv": original}, files=files, answer=answer)


def make_2024(rng: np.random.Generator, name: str = "pwscup2024") -> TableCup:
    """Return a contest of 2024 in which each team has an original of its own to choose among three."""
    rules = read_rules(name, **{"rows = 50": "rows = 20", "normaliser = 20000": f"normaliser = {2 * ROWS}"})
    sheets = list_sheets(rules)
    originals: dict[str, bytes] = {}
    files: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS):
        people = [make_ratings(ROWS, rng=rng) for _ in range(3)]
        originals |= {f"{team}-{place}.csv": write_csv(each) for place, each in enumerate(people, 1)}
        parts = {sheet: people[number].select(columns) for sheet, columns in sheets.items()}
        mixed = {sheet: table[rng.permutation(ROWS)] if number else table for sheet, table in parts.items()}
        files[team] = {sheet: write_csv(table) for sheet, table in mixed.items()} | {"choice": str(number + 1).encode()}

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        del attacker, target
        kind = MatchAnswer(rows=20, known=("Name",), values=tuple("012345"))
        return kind.form.write(kind.draw(rng=draw))

    return TableCup(rules=rules, originals=originals, files=files, answer=answer)


def make_2025(rng: np.random.Generator) -> TableCup:
    """Return a contest of 2025: noise on the members, and a model of one tree."""
    members, candidates = ROWS, 4 * ROWS
    changes = {"most = 10000\nper = 100": f"most = {members}\nper = 0.6", "choices = 3": "choices = 1"}
    rules = read_rules("pwscup2025", **changes).replace('[[release.parts]]\nname = "choice"\n\n', "")
    table = draw_patients(candidates, rng=rng)
    inside = np.zeros(candidates, dtype=np.int64)
    inside[rng.choice(candidates, size=members, replace=False)] = 1
    held = table.filter(pl.Series(inside == 1))
    files = {
        team: {
            "released": write_csv(held if not number else held.with_columns(held["mean_bmi"].shuffle(seed=number))),
            "model": write_stump(held.columns),
        }
        for number, team in enumerate(TEAMS)
    }

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        del attacker, target
        marks = MarkAnswer(rows=candidates, marked=members)
        return marks.form.write(pl.DataFrame({"mark": marks.draw(rng=draw).astype(np.int64).astype(str)}))

    original = write_csv(table.with_columns(pl.Series("member", inside)))
    return TableCup(rules=rules, originals={"original.csv": original}, files=files, answer=answer)


def make_2026(rng: np.random.Generator) -> TableCup:
    """Return a contest of 2026: cohorts that share people; as they are, with noise, and drawn anew."""
    changes = {"permutations = 20000": "permutations = 200", "challenges = 326": "challenges = 40"}
    world = make_overlapping_cohorts(len(TEAMS), private=100, shared=40, background=400, rng=rng)
    held: dict[str, pl.DataFrame] = dict(zip(TEAMS, world.cohorts, strict=True))
    originals = {f"{team}.csv": write_csv(table) for team, table in held.items()}
    files: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS):
        table = held[team].drop("record_id", "is_rare")
        if team == "eve":
            numbers = ("age", "BMI", "SBP", "TG", "HDL", "ALT", "FPG", "time")
            drawn = CopulaTable(numbers=numbers).apply(table, rng=rng)
            alive = pl.when(pl.col("onset") == "1").then(pl.lit("0")).otherwise(pl.col("death")).alias("death")
            event = (pl.col("onset") == "1") | (pl.col("death") == "1")
            table = drawn.with_columns(pl.when(event).then(pl.col("time")).otherwise(pl.lit("10")), alive)
        noise = rng.normal(scale=0.4 * number, size=table.height)
        files[team] = {"released": write_csv(table.with_columns((pl.col("SBP").cast(float) + noise).round(2)))}

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        own, other = held[attacker]["record_id"], held[target]["record_id"]
        member = own.is_in(other.implode()).to_numpy()
        kind = ConfidenceAnswer(person="record_id", people=len(own))
        sure = 1.0 if (attacker, target) == ("ann", "bob") else 0.05
        told = kind.write(own, draw.random(len(own)) + sure * member)
        times = IntervalAnswer(challenges=40)
        parts = {"membership.csv": kind.form.write(told), "attribute.csv": times.form.write(times.draw(10, rng=draw))}
        return pack_files(parts if attacker != "eve" else {"attribute.csv": parts["attribute.csv"]})

    originals |= {"background.csv": write_csv(world.background)}
    return TableCup(rules=read_rules("pwscup2026", **changes), originals=originals, files=files, answer=answer)


def make_2019(rng: np.random.Generator) -> TableCup:
    """Return a contest of 2019: two sets a team, as they are, with sets of regions, and with holes."""
    people, rows = 15, 15 * 40
    originals: dict[str, bytes] = {}
    files: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS):
        files[team] = {}
        for part in ("01", "02"):
            table = make_trace_table(people, days=2, rng=rng)
            originals[f"{team}-{part}.csv"] = write_csv(table)
            hole, several = rng.random(rows) < 0.1 * number, rng.random(rows) < 0.3 * number
            cells = [
                "*" if no else f"{region} {1 + int(region) % 1024}" if many else region
                for region, no, many in zip(table["reg_id"].to_list(), hole, several, strict=True)
            ]
            files[team][part] = "".join(f"{cell}\n" for cell in ["reg_id", *cells]).encode()

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        del target
        ids = [*range(1, people + 1)] if attacker == "ann" else draw.integers(1, people + 1, size=people).tolist()
        regions = draw.integers(1, 1025, size=rows).tolist()
        named = "".join(f"{each}\n" for each in ["user_id", *ids]).encode()
        traced = "".join(f"{each}\n" for each in ["reg_id", *regions]).encode()
        parts = {
            f"{kind}-{part}.csv": data for kind, data in (("id", named), ("trace", traced)) for part in ("01", "02")
        }
        return pack_files(parts if attacker != "eve" else {"id-01.csv": named})

    return TableCup(rules=read_rules("pwscup2019"), originals=originals, files=files, answer=answer)


def list_sheets(rules: str) -> dict[str, list[str]]:
    """Return the sheets that rules list, with their columns."""
    return {part["name"]: part["columns"] for part in tomllib.loads(rules)["release"]["parts"] if "columns" in part}


def draw_patients(rows: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """Return invented patients with the columns of 2025."""
    counts = {
        name: rng.poisson(mean, size=rows)
        for name, mean in (
            ("encounter_count", 30),
            ("num_procedures", 20),
            ("num_medications", 12),
            ("num_immunizations", 9),
            ("num_allergies", 1),
            ("num_devices", 2),
        )
    }
    flags = {
        f"{name}_flag": (rng.random(rows) < 0.4).astype(np.int64)
        for name in ("asthma", "stroke", "obesity", "depression")
    }
    means = {
        name: rng.normal(mean, mean / 8, size=rows).round(2)
        for name, mean in (
            ("mean_systolic_bp", 120),
            ("mean_diastolic_bp", 80),
            ("mean_bmi", 26),
            ("mean_weight", 70),
        )
    }
    base = {
        "GENDER": rng.choice(["F", "M"], size=rows),
        "AGE": rng.integers(2, 100, size=rows),
        "RACE": rng.choice(["asian", "black", "white"], size=rows),
        "ETHNICITY": rng.choice(["hispanic", "nonhispanic"], size=rows),
    }
    return pl.DataFrame(base | counts | flags | means)


def write_stump(columns: list[str]) -> bytes:
    """Return a model of one tree with two leaves, as XGBoost writes it."""
    features = [name for name in columns if name not in ("GENDER", "RACE", "ETHNICITY", "stroke_flag")]
    tree = {
        "left_children": [1, -1, -1],
        "right_children": [2, -1, -1],
        "split_indices": [0, 0, 0],
        "split_conditions": [50.0, -0.4, 0.3],
        "default_left": [0, 0, 0],
    }
    model = {
        "attributes": {"feature_names": json.dumps(features), "target": "stroke_flag", "xgboost_version": "3.2.0"},
        "learner": {
            "learner_model_param": {"num_feature": str(len(features)), "base_score": "5E-1"},
            "objective": {"name": "binary:logistic"},
            "gradient_booster": {"name": "gbtree", "model": {"trees": [tree]}},
        },
    }
    return json.dumps(model).encode()


MAKERS: Mapping[str, Callable[[np.random.Generator], TableCup]] = {
    "pwscup2023": make_2023,
    "pwscup2024": make_2024,
    "ipwscup2024": lambda rng: make_2024(rng, "ipwscup2024"),
    "pwscup2025": make_2025,
    "pwscup2026": make_2026,
    "pwscup2019": make_2019,
}


def create_cup(cup: TableCup, work: Path, *, at: str, secret: Seed) -> LiveContest:
    """Write the files of a contest and begin it."""
    (work / "originals").mkdir(parents=True)
    rules = work / "rules.toml"
    rules.write_text(cup.rules, encoding="utf-8")
    for name, data in cup.originals.items():
        (work / "originals" / name).write_bytes(data)
    single = work / "originals" / "original.csv"
    rounds = read_rulebook(str(rules)).settle_contest().round_names
    places = dict.fromkeys(rounds, single if single.is_file() else work / "originals")
    return create_contest(work / "cup", str(rules), places, at=at, first_day="", secret=secret)


def begin_cup(cup: TableCup, work: Path) -> LiveContest:
    """Begin a contest in a folder, register its teams and take releases in."""
    live = create_cup(cup, work, at=DAY.format(1), secret=Seed(11))
    live = send(live, Opened(at=DAY.format(2), phase=PhaseKind.REGISTER))
    return send(live, *(Registered(at=DAY.format(2), team=team) for team in TEAMS))


def run_round(
    live: LiveContest, cup: TableCup, name: str, day: int, work: Path, skipped: frozenset[tuple[str, str]] = frozenset()
) -> LiveContest:
    """Run a round: every team hands in and attacks all others, but for attacks that are skipped."""
    live = send(live, Opened(at=DAY.format(day), phase=PhaseKind.ANONYMISE, round=name))
    for team, parts in cup.files.items():
        files = {part: write_file(work / f"{team}-{part}", data) for part, data in parts.items()}
        receipt = submit_release(live, team, name, files, at=DAY.format(day))
        assert not receipt.faults
        live = receipt.contest
    if 'final_entry = "chosen"' in cup.rules:
        first = next(iter(live.state.find_entries(name, "ann"))).number
        live = send(live, Chosen(at=DAY.format(day), team="ann", round=name, entry=first))
    live = publish_round(live, name, at=DAY.format(day + 1))
    live = send(live, Opened(at=DAY.format(day + 2), phase=PhaseKind.ATTACK, round=name))
    for attacker in TEAMS:
        for target in TEAMS:
            if attacker != target and (attacker, target) not in skipped:
                guess = cup.answer(Seed(day).child(f"{attacker} on {target}").rng(), attacker, target)
                path = write_file(work / f"{attacker}-on-{target}", guess)
                receipt = submit_attack(live, attacker, target, name, path, at=DAY.format(day + 2))
                assert not receipt.faults
                live = receipt.contest
    live = send(live, Opened(at=DAY.format(day + 3), phase=PhaseKind.EVALUATE, round=name))
    write_final_guesses(live, name)
    return live


def write_file(path: Path, data: bytes) -> Path:
    """Write a file and return where."""
    path.write_bytes(data)
    return path


def send(live: LiveContest, *events: Event) -> LiveContest:
    """Have the referee rule on events, all of which he must accept."""
    for event in events:
        live, _ = live.send(event)
    return live
