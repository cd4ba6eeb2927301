"""A whole round evaluated from a folder: every release checked, published and measured, every attack judged.

The referee is asked as in a contest that is going on, event by event, so that the evaluation has a ledger too. When an
e-mail came nobody knows here: the events are a second apart, from the beginning of 1970 on, and the same folder gives
the same ledger. A bad file is named and costs only its own team or attack.

Standings and attacks as tables for spreadsheets: UTF-8 with its mark, and no cell is taken for a formula.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sekisho.contest.event import Attacked, Created, Event, Opened, Published, Registered, Scored, Submitted
from sekisho.contest.folder.binding import digest_files, digest_rules, name_answer
from sekisho.contest.folder.mailed_files import (
    FileFault,
    MailedFiles,
    list_mailed_files,
    name_file,
    name_release_file,
    note_faults,
)
from sekisho.contest.history.scorer import HistoryScorer
from sekisho.contest.ledger import digest_bytes, digest_text, write_canonical, write_ledger
from sekisho.contest.open_scorer import open_scorer
from sekisho.contest.referee import step
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.rules import PhaseKind, write_moment
from sekisho.contest.scoring import ANSWERS, GUESS, OWN, SCORER, AttackScore, ReadRelease, Scorer
from sekisho.contest.standing import (
    RoundResults,
    TeamStanding,
    digest_standings,
    gather_round,
    list_standings,
    rank_round_of,
)
from sekisho.contest.state import ContestState
from sekisho.errors import BugError, Fault, MissingFileError, ParameterError, SekishoError
from sekisho.provenance import digest_file
from sekisho.seeds import Seed
from sekisho.words import Said

FIRST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a round came to.

    Attributes:
        rules: of the contest.
        round: its name.
        results: of every valid file.
        standings: the ranked teams first.
        faults: everything that is wrong with files, each named.
        counts: by file how many errors it has, those beyond the listed ones included.
        skipped: attacks on releases that turned out invalid; nothing is wrong with them.
        ledger: of the evaluation.
        people: of histories, how many people the original has.
    """

    rules: Rulebook
    round: str
    results: RoundResults
    standings: tuple[TeamStanding, ...]
    faults: tuple[FileFault, ...]
    counts: Mapping[str, int]
    skipped: tuple[str, ...]
    ledger: bytes
    people: int = 0

    @property
    def digest(self) -> str:
        """The digest of the standings."""
        return digest_standings(self.standings)

    def list_matrix(self) -> dict[str, dict[str, dict[str, object]]]:
        """Return by attacker, by target what the attack came to."""
        matrix: dict[str, dict[str, dict[str, object]]] = {}
        for (attacker, target), score in sorted(self.results.attacks.items()):
            matrix.setdefault(attacker, {})[target] = list_attack(score)
        return matrix


def list_attack(score: AttackScore) -> dict[str, object]:
    """Return what an attack came to as plain data for JSON."""
    figures: dict[str, object] = {"claimed": score.claimed, "hits": score.hits, "effective": score.effective}
    figures |= {} if score.threshold is None else {"threshold": score.threshold}
    return figures | ({} if score.risk is None else {"risk": score.risk, **score.detail})


def evaluate_folder(
    folder: Path, rules: Rulebook, round_name: str = "", *, answers: Path | None = None, seed: Seed | None = None
) -> Evaluation:
    """Evaluate a round whose files lie in a folder.

    Args:
        folder: with original, releases and guesses.
        rules: of the contest.
        round_name: the rules' usual one if empty.
        answers: of records and tables, where the referee's answers lie, if not in the folder.
        seed: of tables, the referee's; that of files that came by e-mail if None.

    Raises:
        InputError, FaultsError: the folder or the original itself cannot be used; without it there is no answer.
        ParameterError: the rules have no such round.
    """
    name = round_name or rules.usual_round
    files = replace(list_mailed_files(folder, rules.release_files), answers=answers)
    work = _Evaluator(rules=rules, round=name, files=files, seed=seed)
    work.faults += files.faults
    work.counts |= {each.file: 1 for each in files.faults}
    work.begin()
    work.take_releases()
    work.publish()
    work.take_attacks()
    return work.finish()


@dataclass(slots=True, kw_only=True)
class _Evaluator:
    rules: Rulebook
    round: str
    files: MailedFiles
    seed: Seed | None = None
    state: ContestState = field(default_factory=ContestState)
    events: list[Event] = field(default_factory=list[Event])
    faults: list[FileFault] = field(default_factory=list[FileFault])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    skipped: list[str] = field(default_factory=list[str])
    scorers: dict[Path, Scorer] = field(default_factory=dict[Path, Scorer])
    releases: dict[str, tuple[Scorer, ReadRelease]] = field(default_factory=dict[str, tuple[Scorer, ReadRelease]])
    kept: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def now(self) -> str:
        return write_moment(FIRST + timedelta(seconds=len(self.events)))

    def send(self, event: Event) -> None:
        ruling = step(self.state, event)
        if ruling.refusal is not None:
            raise BugError(f"the referee refuses an event of the evaluation: {ruling.refusal.reason}")
        self.events.append(event)
        self.state = ruling.state

    def open(self, kind: PhaseKind, round_name: str = "") -> None:
        self.send(Opened(at=self.now(), phase=kind, round=round_name))

    def begin(self) -> None:
        contest = self.rules.settle_contest()
        if self.round not in contest.round_names:
            raise ParameterError(
                "round", Said("be one of {round_names}", round_names=", ".join(contest.round_names)), self.round
            )
        plain = contest.take_round(self.round)
        originals = {self.round: self.digest_originals()}
        self.send(
            Created(
                at=self.now(),
                name=self.rules.name,
                rules=digest_rules(self.rules),
                contest=plain,
                originals=originals,
            )
        )
        self.open(PhaseKind.REGISTER)
        for team in self.files.teams:
            self.send(Registered(at=self.now(), team=team))

    def digest_originals(self) -> str:
        """Read the original that all share, or list those that teams have each; a shared one that is bad ends all."""
        shared = self.files.find_original("")
        if shared.parent == self.files.folder:
            self.find_scorer("")
            return digest_file(shared)
        return digest_text(write_canonical(digest_files({path.name: path for path in shared.parent.glob("*.csv")})))

    def find_scorer(self, team: str) -> Scorer:
        path = self.files.find_original(team)
        if path not in self.scorers:
            self.scorers[path] = open_scorer(self.rules, path, self.round, seed=self.seed)
        return self.scorers[path]

    def note(self, error: SekishoError, *paths: Path) -> int:
        faults, count = note_faults(self.files.folder, paths, error)
        self.faults += faults
        for each in faults:
            self.counts[each.file] = count
        return count

    def take_releases(self) -> None:
        self.open(PhaseKind.ANONYMISE, self.round)
        for team, given in sorted(self.files.releases.items()):
            self.take_release(team, given)

    def take_release(self, team: str, given: Mapping[str, Path]) -> None:
        folder = self.files.folder / "releases"
        self.send(Submitted(at=self.now(), team=team, round=self.round, files=digest_files(given)))
        number = len(self.state.entries)
        places = list(given.values())
        try:
            scorer = self.find_scorer(team)
            for kind in scorer.release_files:
                if kind not in given:
                    missing = folder / name_release_file(team, kind)
                    places = [missing]
                    raise MissingFileError(missing)
            places = [given[kind] for kind in scorer.release_files]
            release = scorer.read_release(given)
            score = scorer.measure(release)
        except BugError:
            raise
        except SekishoError as error:
            self.send(Scored(at=self.now(), entry=number, scorer=SCORER, faults=self.note(error, *places)))
            return
        self.releases[team] = scorer, release
        self.send(Scored(at=self.now(), entry=number, scorer=SCORER, release=score))

    def publish(self) -> None:
        self.open(PhaseKind.PUBLISH, self.round)
        public: dict[str, str] = {}
        secrets = ""
        for team, (scorer, release) in sorted(self.releases.items()):
            made = scorer.publish(release, rng=Seed(0).child(team).rng())
            public[team] = digest_bytes(made.public)
            secrets += digest_bytes(made.secret)
            self.kept |= {team: made.secret} if scorer.keeps_truth else {}
        self.send(Published(at=self.now(), round=self.round, files=public, commitment=digest_text(secrets)))

    def take_attacks(self) -> None:
        self.open(PhaseKind.ATTACK, self.round)
        for (attacker, target), path in sorted(self.files.guesses.items()):
            refusal = self.find_obstacle(attacker, target)
            file = name_file(self.files.folder, path)
            if refusal is not None:
                self.faults.append(FileFault(file=file, fault=refusal))
                self.counts[file] = 1
            elif target in self.releases:
                self.take_attack(attacker, target, path)
            else:
                self.skipped.append(file)

    def find_obstacle(self, attacker: str, target: str) -> Fault | None:
        if attacker == target:
            message = Said("a team does not attack its own release")
        elif target not in self.files.releases:
            message = Said("team {target} has no release to attack", target=target)
        else:
            return None
        return Fault(row=0, column="", rule="target", value=target, message=message)

    def take_attack(self, attacker: str, target: str, path: Path) -> None:
        files = digest_files({GUESS: path})
        self.send(Attacked(at=self.now(), team=attacker, target=target, round=self.round, files=files))
        number = len(self.state.entries)
        given = {GUESS: path}
        try:
            score = self.judge(attacker, target, given)
        except BugError:
            raise
        except SekishoError as error:
            source = getattr(error, "source", "")
            wrong = [place for place in given.values() if str(place) == source] or [path]
            self.send(Scored(at=self.now(), entry=number, scorer=SCORER, faults=self.note(error, *wrong)))
            return
        self.send(Scored(at=self.now(), entry=number, scorer=SCORER, attack=score))

    def judge(self, attacker: str, target: str, given: dict[str, Path]) -> AttackScore:
        """Judge by the answers that lie there; where they follow from the release, by those that follow."""
        scorer, release = self.releases[target]
        if scorer.draws_tests:
            given[ANSWERS] = self.files.find_answers(f"{attacker}-on-{target}.csv")
        if not scorer.keeps_truth:
            return scorer.judge(release, given)
        given[OWN] = self.files.find_original(attacker)
        given[ANSWERS] = self.files.find_answers(name_answer(self.state.contest, target))
        if given[ANSWERS].is_file():
            return scorer.judge(release, given)
        with TemporaryDirectory() as place:
            given[ANSWERS] = Path(place) / f"{target}.csv"
            given[ANSWERS].write_bytes(self.kept[target])
            return scorer.judge(release, given)

    def finish(self) -> Evaluation:
        self.open(PhaseKind.EVALUATE, self.round)
        self.open(PhaseKind.REVEAL)
        results = gather_round(self.state, self.round)
        people = [self._count_people(scorer) for scorer in self.scorers.values()]
        return Evaluation(
            rules=self.rules,
            round=self.round,
            results=results,
            standings=rank_round_of(self.state.contest, results, self.round),
            faults=tuple(self.faults),
            counts=self.counts,
            skipped=tuple(self.skipped),
            ledger=write_ledger(self.events),
            people=max(people, default=0),
        )

    def _count_people(self, scorer: Scorer) -> int:
        if not isinstance(scorer, HistoryScorer):
            return 0
        return len(scorer.original.domain(scorer.rules.layout.holder.name))


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""
MARK = b"\xef\xbb\xbf"


def write_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV; a text that would be run as a formula gets an apostrophe before it."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_escape_formula(cell) for cell in head])
    writer.writerows([[_escape_formula(cell) for cell in row] for row in rows])
    return MARK + stream.getvalue().encode()


def _escape_formula(cell: object) -> object:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_matrix(results: RoundResults) -> bytes:
    """Return one line for each attack that was made, and one for each that was not."""
    head = ("attacker", "target", "claimed", "hits", "threshold", "risk", "effective")
    rows: list[tuple[object, ...]] = [
        (attacker, target, score.claimed, score.hits, score.threshold, score.risk, score.effective)
        for (attacker, target), score in sorted(results.attacks.items())
    ]
    rows += [(attacker, target, None, None, None, None, None) for attacker, target in results.list_missing()]
    return write_table(head, sorted(rows, key=lambda row: (str(row[0]), str(row[1]))))


def write_standings_table(standings: Sequence[TeamStanding]) -> bytes:
    """Return the standings, a line a team."""
    if any(each.total is not None for each in standings):
        boards = sorted({name for each in standings for name in each.boards or {"": None}})
        heads = [f"{name} {word}".strip() for name in boards for word in ("attack", "attack rank")]
        lines = [
            (x.rank, x.team, x.total, x.utility, *(cell for name in boards for cell in x.find_board(name)))
            for x in standings
        ]
        return write_table(("rank", "team", "total", "utility", *heads), lines)
    head = ("rank", "team", "utility", "risk", "attack", "survives", "broken by", "breaks")
    rows = [
        (
            each.rank,
            each.team,
            each.utility,
            each.risk,
            each.attack,
            each.survives,
            " ".join(each.broken_by),
            " ".join(each.breaks),
        )
        for each in standings
    ]
    return write_table(head, rows)


def write_standings(standings: Sequence[TeamStanding]) -> bytes:
    """Return the standings and their digest as JSON for people and programs."""
    content = {"standings": list_standings(standings), "digest": digest_standings(standings)}
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def write_tables(evaluation: Evaluation) -> dict[str, bytes]:
    """Return the files of an evaluation, by name, its page aside."""
    return {
        "matrix.csv": write_matrix(evaluation.results),
        "standings.csv": write_standings_table(evaluation.standings),
        "standings.json": write_standings(evaluation.standings),
        "ledger.jsonl": evaluation.ledger,
    }
