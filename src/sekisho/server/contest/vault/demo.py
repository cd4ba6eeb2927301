"""A contest to look at: synthetic purchases, baseline teams with releases and attacks, practice open, sample files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sekisho.attack.history.containment import Containment
from sekisho.attack.history.guess_files import write_guess
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.contest.event import Announced, Attacked, Opened, Registered, Submitted
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import create_contest
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.scoring import GUESS, RELEASED
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed, draw_token
from sekisho.server.contest.auth.accounts import add_account
from sekisho.server.contest.auth.passwords import Passwords
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook, Pen
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.jobs import JobKind, add_job
from sekisho.server.contest.database.rows import HandoutRow
from sekisho.server.contest.settings import PasswordCost
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest

RULES = "pwscup2018"
NAME = "demo"
CUSTOMERS = 40
METHODS = {"baseline-names": Pseudonymise(), "baseline-triples": SimilarLength(k=3)}
ADVERSARIES = {"baseline-names": MaximumKnowledge(), "baseline-triples": Containment()}
WELCOME = (
    "Welcome. Practice is open: download the original and the samples, hand a release in, attack a baseline.",
    "ようこそ。練習フェーズが開いています。元データと見本をダウンロードし、加工データを提出し、見本チームを攻撃してください。",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoAccounts:
    """Who can log in to the demonstration, with passwords that were drawn for it."""

    referee: str
    team: str
    passwords: dict[str, str]


def seed_demo(
    database: Database, store: Store, vault: Path, seed: Seed, cost: PasswordCost | None = None
) -> DemoAccounts:
    """Make the demonstration's contest; its jobs wait for a worker."""
    rules = read_history_rules(RULES)
    history = SyntheticHistory(customers=CUSTOMERS, items=60, median_rows=5)
    data = history.draw(rng=seed.child("demo history").rng())
    begun = read_clock()
    with TemporaryDirectory(prefix="sekisho-demo-") as place:
        original = Path(place) / "original.csv"
        original.write_bytes(write_original(data, rules))
        originals = dict.fromkeys(rules.settle_contest().round_names, original)
        folder = Path(place) / "cup"
        create_contest(folder, RULES, originals, at=begun, first_day="", secret=Seed.draw())
        import_contest(pack_contest(folder), database, store, vault, NAME)
    releases = {
        team: fit(method, rules.parameters()).apply(data, rng=seed.child(team).rng())
        for team, method in METHODS.items()
    }
    passwords = Passwords(cost or PasswordCost())
    drawn = {"referee": draw_token()[:20], "visitors": draw_token()[:20]}
    with ContestBook(database, NAME).write() as pen:
        pen.send(Opened(at=read_clock(), phase=PhaseKind.REGISTER))
        for team in (*METHODS, "visitors"):
            pen.send(Registered(at=read_clock(), team=team))
        pen.send(Opened(at=read_clock(), phase=PhaseKind.PRACTICE))
        pen.send(Opened(at=read_clock(), phase=PhaseKind.REGISTER))
        for team, release in releases.items():
            _submit(pen, store, team, write_release(release, rules))
        pen.send(Announced(at=read_clock(), en=WELCOME[0], ja=WELCOME[1]))
        _add_samples(pen, store, data, releases["baseline-triples"], rules, seed)
        for login, role, team in (("referee", AccountRole.REFEREE, ""), ("visitors", AccountRole.CAPTAIN, "visitors")):
            kept = passwords.hash(drawn[login])
            add_account(pen.session, pen.contest, login=login, password=kept, role=role, at=begun, team=team)
    return DemoAccounts(referee="referee", team="visitors", passwords=drawn)


def attack_baselines(database: Database, store: Store, seed: Seed) -> int:
    """Hand the baselines' attacks on one another in, once their releases are scored; return how many."""
    rules = read_history_rules(RULES)
    book = ContestBook(database, NAME)
    state = book.read().state
    pairs = [
        (attacker, target)
        for attacker in METHODS
        for target in METHODS
        if attacker != target
        and state.find_target(PRACTICE_ROUND, target) is not None
        and not any(state.find_entries(PRACTICE_ROUND, attacker, target))
    ]
    history = SyntheticHistory(customers=CUSTOMERS, items=60, median_rows=5)
    data = history.draw(rng=seed.child("demo history").rng())
    for attacker, target in pairs:
        release = fit(METHODS[target], rules.parameters()).apply(data, rng=seed.child(target).rng())
        guess = _guess(attacker, release, data, rules, seed)
        digest = store.keep_bytes(guess)
        with book.write() as pen:
            at = read_clock()
            event = Attacked(at=at, team=attacker, target=target, round=PRACTICE_ROUND, files={GUESS: digest})
            ruling = pen.send(event)
            add_job(pen.session, pen.contest, JobKind.SCORE, at=at, entry=ruling.entry)
    return len(pairs)


def _guess(attacker: str, release: Release, data: Dataset, rules: HistoryRules, seed: Seed) -> bytes:
    adversary = fit(ADVERSARIES[attacker], rules.parameters(rules.contest.bound))
    table = release.table.take(~release.deleted)
    return write_guess(adversary.guess(table, data, rng=seed.child(f"{attacker} attacks").rng()), rules)


def _submit(pen: Pen, store: Store, team: str, data: bytes) -> None:
    at = read_clock()
    digest = store.keep_bytes(data)
    ruling = pen.send(Submitted(at=at, team=team, round=PRACTICE_ROUND, files={RELEASED: digest}))
    add_job(pen.session, pen.contest, JobKind.SCORE, at=at, entry=ruling.entry)


def _add_samples(pen: Pen, store: Store, data: Dataset, release: Release, rules: HistoryRules, seed: Seed) -> None:
    """Hand samples out: a valid release, the same with errors, and an attack."""
    written = write_release(release, rules)
    lines = written.decode().splitlines()
    lines[1] = lines[1].rpartition(",")[0] + ",0"
    samples = {
        "release.csv": written,
        "release-with-errors.csv": ("\n".join(lines) + "\n").encode(),
        "attack-on-baseline-triples.csv": _guess("baseline-names", release, data, rules, seed),
        "original.csv": write_original(data, rules),
    }
    for name, content in samples.items():
        digest = store.keep_bytes(content)
        pen.session.add(HandoutRow(contest=pen.contest, kind="sample", round="", about=name, team="", digest=digest))
