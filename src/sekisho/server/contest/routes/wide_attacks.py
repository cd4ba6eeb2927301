"""One file with the answers about all releases of a round: each target's columns become an attack of their own.

One's own columns, and those of a team without a release, are not looked at; a target that is left empty is not
attacked. What is wrong with the columns of one target costs that target alone.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Form, Query, Response

from sekisho.contest.answers.wide_file import split_answers
from sekisho.contest.event import Attacked
from sekisho.contest.rules import PhaseKind
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.scoring import GUESS
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.routes.access import Arriving, Member, Moment, TheSite
from sekisho.server.contest.routes.checks import check_files, find_published, find_scorer
from sekisho.server.contest.routes.entries import (
    Key,
    RoundName,
    Sent,
    count_upload,
    open_files,
    settle_round,
    take_in,
)
from sekisho.server.contest.routes.models import AttackReceipts, CheckAnswer, Plain, Receipt, WideForm
from sekisho.server.contest.site import Site
from sekisho.server.contest.uploads import ARCHIVE, receive_files
from sekisho.words import Language, Said, translate

router = APIRouter(prefix="/api/v1", tags=["entries"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackColumns:
    """How such a file is laid out for a team.

    Attributes:
        width: how many columns each team has; 0 where every target has a file of its own.
        teams: in the order of their columns.
        wanted: whose columns are looked at: others with a release.
    """

    width: int
    teams: tuple[str, ...]
    wanted: frozenset[str]

    def split(self, path: Path) -> dict[str, bytes]:
        """Return by target the columns about it.

        Raises:
            FaultsError: a line has too few or too many cells, or no release is attacked.
            ParameterError: every target has a file of its own.
        """
        if not self.width:
            raise ParameterError("target", Said("be given: every target has a file of its own"), "")
        found = split_answers(path, width=self.width, targets=self.teams, wanted=self.wanted)
        if not found:
            message = Said("no release is attacked")
            raise FaultsError(path, [Fault(row=0, column="", rule="missing", value="", message=message)])
        return found


@router.get("/attacks/all")
def read_wide_form(site: TheSite, who: Member, at: Moment, round: Annotated[RoundName, Query()] = "") -> WideForm:
    """Return how one file about all releases is laid out."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    columns = find_columns(site, who, at, name)
    return WideForm(round=name, width=columns.width, teams=list(columns.teams), wanted=sorted(columns.wanted))


@router.post("/attacks/all", status_code=201)
def submit_attacks(
    site: TheSite,
    who: Member,
    arrival: Arriving,
    round: Annotated[RoundName, Form()] = "",
    guess: Sent = None,
    archive: Sent = None,
    key: Key = "",
) -> AttackReceipts:
    """Hand one file with the answers about all releases in, or a zip archive of it (``guess.csv``)."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    columns = find_columns(site, who, arrival.at, name)
    count_upload(site, who)
    receipts: list[Receipt] = []
    refused: dict[str, RefusedEventError] = {}
    given = open_files({GUESS: guess, ARCHIVE: archive})
    with receive_files(site.store, given, (GUESS,), site.settings.limits) as whole:
        parts = columns.split(whole[GUESS].path)
        for target, data in parts.items():
            with ExitStack() as stack:
                received = {GUESS: site.store.receive([data], name=target, most_bytes=len(data))}
                stack.callback(site.store.discard, received[GUESS])
                event = Attacked(
                    at=arrival.at,
                    team=who.team,
                    target=target,
                    round=name,
                    files={GUESS: received[GUESS].digest},
                    key=f"{key} on {target}" if key else "",
                    whole=arrival.whole,
                )
                try:
                    receipts.append(take_in(site, who, event, received, Response()))
                except RefusedEventError as error:
                    refused[target] = error
    if refused and not receipts:
        raise next(iter(refused.values()))
    return AttackReceipts(
        round=name,
        receipts=receipts,
        refused=[_tell_refusal(target, error) for target, error in refused.items()],
        missing=sorted(columns.wanted - parts.keys()),
    )


@router.post("/check/attacks")
def check_attacks(
    site: TheSite,
    who: Member,
    at: Moment,
    round: Annotated[RoundName, Form()] = "",
    guess: Sent = None,
    archive: Sent = None,
) -> CheckAnswer:
    """Tell everything that is wrong with one file about all releases, without handing it in."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    columns = find_columns(site, who, at, name)
    scorer = find_scorer(site, who, at, name)
    published = {target: find_published(site, who, at, name, target) for target in columns.wanted}

    def read(files: Mapping[str, Path]) -> None:
        faults: list[Fault] = []
        count = 0
        with _write_parts(columns.split(files[GUESS])) as parts:
            for target, path in parts.items():
                try:
                    scorer.check_guess(published[target], path)
                except FaultsError as error:
                    faults += [replace(each, column=f"{target}/{each.column}".rstrip("/")) for each in error.faults]
                    count += error.count
        if faults:
            raise FaultsError(files[GUESS], faults, count=count)

    return check_files(site, who, {GUESS: guess, ARCHIVE: archive}, (GUESS,), read)


def find_columns(site: Site, who: Principal, at: str, round_name: str) -> AttackColumns:
    """Return how one file about all releases of a round is laid out for a team."""
    state = site.book.read().state
    teams = tuple(sorted(state.teams))
    published = {team for team in teams if state.find_target(round_name, team) is not None}
    width = find_scorer(site, who, at, round_name).answer_width
    return AttackColumns(width=width, teams=teams, wanted=frozenset(published - {who.team}))


@contextmanager
def _write_parts(parts: Mapping[str, bytes]) -> Generator[dict[str, Path]]:
    with TemporaryDirectory(prefix="sekisho-check-") as place:
        paths = {target: Path(place) / str(number) for number, target in enumerate(parts)}
        for target, path in paths.items():
            path.write_bytes(parts[target])
        yield paths


def _tell_refusal(target: str, error: RefusedEventError) -> Plain:
    refusal = error.refusal
    told = {language: translate(refusal.reason, language) for language in Language}
    return {"target": target, "rule": refusal.rule, "error": told[Language.EN], "error_ja": told[Language.JA]}
