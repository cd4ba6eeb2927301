"""The validator: everything that is wrong with a file before it is handed in. It costs nothing, and keeps nothing.

It reads what the team holds anyway (its original, what is published, its test set); the referee's truth is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, cast

from fastapi import APIRouter, Form, HTTPException

from sekisho.attack.history.guess_files import read_guess as read_names
from sekisho.attack.records.guess_files import read_guess as read_rows
from sekisho.contest.history.scorer import HistoryScorer
from sekisho.contest.open_scorer import open_scorer
from sekisho.contest.records.scorer import RecordsScorer
from sekisho.contest.rulebook import read_rulebook
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import Thing
from sekisho.contest.scoring import DELETED, GUESS, RELEASED, Scorer
from sekisho.data.history.files import read_published as read_histories
from sekisho.data.records.files import read_published as read_records
from sekisho.errors import BugError, Fault, FaultsError, InputError, SekishoError
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.routes.access import Member, Moment, TheSite
from sekisho.server.contest.routes.entries import RoundName, Sent, TeamName, count_upload, open_files, settle_round
from sekisho.server.contest.routes.models import CheckAnswer, Plain
from sekisho.server.contest.routes.public import find_handout
from sekisho.server.contest.site import Site
from sekisho.server.contest.uploads import ARCHIVE, receive_files
from sekisho.words import quote_words

router = APIRouter(prefix="/api/v1/check", tags=["check"])


@router.post("/release")
def check_release(
    site: TheSite,
    who: Member,
    at: Moment,
    round: Annotated[RoundName, Form()] = "",
    released: Sent = None,
    deleted: Sent = None,
    archive: Sent = None,
) -> CheckAnswer:
    """Tell everything that is wrong with a release, without handing it in."""
    name = settle_round(site, PhaseKind.ANONYMISE, round)
    scorer = find_scorer(site, who, at, name)
    return _check(
        site,
        who,
        {RELEASED: released, DELETED: deleted, ARCHIVE: archive},
        site.release_files,
        scorer.read_release,
    )


@router.post("/attack")
def check_attack(
    site: TheSite,
    who: Member,
    at: Moment,
    target: Annotated[TeamName, Form()],
    round: Annotated[RoundName, Form()] = "",
    guess: Sent = None,
    archive: Sent = None,
) -> CheckAnswer:
    """Tell everything that is wrong with an attack, without handing it in; what it hits is not told."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    scorer = find_scorer(site, who, at, name)
    digest = find_handout(site, at, kind=Thing.PUBLISHED, round_name=name, about=target, team=who.team)
    published = site.store.find(digest)
    return _check(
        site,
        who,
        {GUESS: guess, ARCHIVE: archive},
        (GUESS,),
        lambda files: _read_guess(scorer, files[GUESS], published),
    )


def find_scorer(site: Site, who: Principal, at: str, round_name: str) -> Scorer:
    """Return what reads files of a round, with the original that is handed out to a team."""
    names = site.book.read().state.contest.round_names
    name = names[0] if round_name == PRACTICE_ROUND else round_name
    if name not in names:
        raise HTTPException(404)
    digest = find_handout(site, at, kind=Thing.ORIGINAL, round_name=name, about="", team=who.team)
    rules = site.store.find_contest(site.book.name) / "rules.toml"
    return _open_scorer(str(rules), site.store.find(digest), name)


@lru_cache(maxsize=4)
def _open_scorer(rules: str, original: Path, round_name: str) -> Scorer:
    return open_scorer(read_rulebook(rules), original, round_name)


def _read_guess(scorer: Scorer, guess: Path, published: Path) -> object:
    if isinstance(scorer, HistoryScorer):
        table = read_histories(published, scorer.rules, scorer.original)
        return read_names(guess, scorer.rules, table, scorer.original)
    if isinstance(scorer, RecordsScorer):
        rows = len(read_records(published, scorer.rules, scorer.original.schema))
        test = scorer.rules.test
        return read_rows(guess, scorer.rules, records=test.members + test.others, rows=rows)
    raise BugError(f"{type(scorer).__name__} is of no shape")


def _check(
    site: Site,
    who: Principal,
    sent: Mapping[str, Sent],
    wanted: tuple[str, ...],
    read: Callable[[dict[str, Path]], object],
) -> CheckAnswer:
    count_upload(site, who)
    try:
        with receive_files(site.store, open_files(sent), wanted, site.settings.limits) as received:
            read({kind: each.path for kind, each in received.items()})
    except FaultsError as error:
        return _answer(error.faults, error.count)
    except BugError:
        raise
    except SekishoError as error:
        reason = error.reason if isinstance(error, InputError) else quote_words(str(error))
        return _answer([Fault(row=0, column="", rule="file", value="", message=reason)], 1)
    return _answer([], 0)


def _answer(faults: Iterable[Fault], count: int) -> CheckAnswer:
    errors = [cast("Plain", fault.as_both()) for fault in faults]
    return CheckAnswer(valid=not count, errors=errors, count=count)
