"""The validator: everything that is wrong with a file before it is handed in. It costs nothing, and keeps nothing.

It reads what the team holds anyway (its original, what is published, its test set); the referee's truth is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, cast

from fastapi import APIRouter, Form, HTTPException
from starlette.datastructures import UploadFile as SentFile

from sekisho.contest.handed_original import list_numbers, open_team_scorer
from sekisho.contest.rulebook import read_rulebook
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import Thing
from sekisho.contest.scoring import GUESS, Scorer
from sekisho.errors import BugError, Fault, FaultsError, InputError, SekishoError
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.routes.access import Member, Moment, TheSite
from sekisho.server.contest.routes.entries import (
    RoundName,
    Sent,
    TeamName,
    Uploads,
    count_upload,
    open_files,
    settle_round,
)
from sekisho.server.contest.routes.models import CheckAnswer, Plain
from sekisho.server.contest.routes.public import find_handout
from sekisho.server.contest.site import Site
from sekisho.server.contest.uploads import ARCHIVE, receive_files
from sekisho.words import quote_words

router = APIRouter(prefix="/api/v1/check", tags=["check"])


@router.post("/release")
def check_release(
    site: TheSite, who: Member, at: Moment, sent: Uploads, round: Annotated[RoundName, Form()] = ""
) -> CheckAnswer:
    """Tell everything that is wrong with a release, without handing it in."""
    name = settle_round(site, PhaseKind.ANONYMISE, round)
    scorer = find_scorer(site, who, at, name)
    return check_files(site, who, sent, site.release_files, scorer.read_release)


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
    published = find_published(site, who, at, name, target)
    return check_files(
        site,
        who,
        {GUESS: guess, ARCHIVE: archive},
        (GUESS,),
        lambda files: scorer.check_guess(published, files[GUESS]),
    )


def find_published(site: Site, who: Principal, at: str, round_name: str, target: str) -> Path:
    """Return where what is published of a team's release lies."""
    return site.store.find(
        find_handout(site, at, kind=Thing.PUBLISHED, round_name=round_name, about=target, team=who.team)
    )


def find_scorer(site: Site, who: Principal, at: str, round_name: str) -> Scorer:
    """Return what reads files of a round, with the original that is handed out to a team."""
    names = site.book.read().state.contest.round_names
    name = names[0] if round_name == PRACTICE_ROUND else round_name
    if name not in names:
        raise HTTPException(404)
    digests = [
        find_handout(site, at, kind=Thing.ORIGINAL, round_name=name, about=number, team=who.team)
        for number in list_numbers(site.rules)
    ]
    rules = site.store.find_contest(site.book.name) / "rules.toml"
    return _open_scorer(str(rules), tuple(map(site.store.find, digests)), name)


@lru_cache(maxsize=4)
def _open_scorer(rules: str, originals: tuple[Path, ...], round_name: str) -> Scorer:
    return open_team_scorer(read_rulebook(rules), originals, round_name)


def check_files(
    site: Site,
    who: Principal,
    sent: Mapping[str, SentFile | None],
    wanted: tuple[str, ...],
    read: Callable[[dict[str, Path]], object],
) -> CheckAnswer:
    """Tell everything that is wrong with files, which are read and forgotten."""
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
