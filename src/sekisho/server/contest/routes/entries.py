"""Releases and attacks: handed in, listed, their receipts and their results as the phase's feedback allows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from math import ceil
from typing import IO, Annotated, cast

from fastapi import APIRouter, Depends, File, Form, Header, HTTPException, Query, Request, Response, UploadFile
from fastapi.responses import FileResponse
from pydantic import StringConstraints
from sqlalchemy import select
from starlette.datastructures import UploadFile as SentFile

from sekisho.contest.event import Attacked, Chosen, Submitted
from sekisho.contest.folder.desk import name_part
from sekisho.contest.ledger import write_canonical
from sekisho.contest.referee import step
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import show_entry
from sekisho.contest.rulings.entries import count_left
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.scoring import GUESS
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.database.jobs import JobKind, add_job
from sekisho.server.contest.database.rows import JobRow, ResultRow, SubmissionRow
from sekisho.server.contest.routes.access import Arriving, Member, Moment, Number, TakingPart, TheSite
from sekisho.server.contest.routes.documented import PART_FILE, send_file
from sekisho.server.contest.routes.models import EntryAnswer, JobAnswer, Left, Plain, Receipt
from sekisho.server.contest.routes.numbering import Numbering, number_entries
from sekisho.server.contest.site import Site
from sekisho.server.contest.uploads import ARCHIVE, receive_files
from sekisho.server.web.receiving import Received

router = APIRouter(prefix="/api/v1", tags=["entries"])

Sent = Annotated[UploadFile | None, File()]
RoundName = Annotated[str, StringConstraints(max_length=60)]
TeamName = Annotated[str, StringConstraints(max_length=60)]
Key = Annotated[
    str, Header(alias="Idempotency-Key", max_length=200, pattern=r"^[\x21-\x7e]*$", description="Counts once.")
]


async def find_uploads(request: Request, archive: Sent = None) -> dict[str, SentFile | None]:
    """Return the files of a form by their fields: the parts that the contest's rules name, or an archive of them."""
    form = await request.form()
    parts: dict[str, SentFile | None] = {name: each for name, each in form.multi_items() if isinstance(each, SentFile)}
    return parts if archive is None else parts | {ARCHIVE: archive}


Uploads = Annotated[dict[str, SentFile | None], Depends(find_uploads)]
META = ("entry", "at", "round", "status", "target", "faults")
MOST_LISTED = 1000


@router.post("/submissions", status_code=201)
def submit_release(
    site: TheSite,
    who: Member,
    arrival: Arriving,
    response: Response,
    sent: Uploads,
    round: Annotated[RoundName, Form()] = "",
    key: Key = "",
) -> Receipt:
    """Hand a release in: each part as a file field of its name (``files`` of the rules), or a zip archive of them.

    In the archive a table is ``NAME.csv``, ``seed`` and ``choice`` are ``.txt``, ``model`` is ``.json``.
    """
    name = settle_round(site, PhaseKind.ANONYMISE, round)
    given = open_files(sent)
    count_upload(site, who)
    with receive_files(site.store, given, site.release_files, site.settings.limits) as received:
        files = {kind: each.digest for kind, each in received.items()}
        event = Submitted(at=arrival.at, team=who.team, round=name, files=files, key=key, whole=arrival.whole)
        return take_in(site, who, event, received, response)


@router.post("/attacks", status_code=201)
def submit_attack(
    site: TheSite,
    who: Member,
    arrival: Arriving,
    response: Response,
    target: Annotated[TeamName, Form()],
    round: Annotated[RoundName, Form()] = "",
    guess: Sent = None,
    archive: Sent = None,
    key: Key = "",
) -> Receipt:
    """Hand an attack on another team's release in: its file, or a zip archive of it (``guess.csv``)."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    given = open_files({GUESS: guess, ARCHIVE: archive})
    count_upload(site, who)
    with receive_files(site.store, given, (GUESS,), site.settings.limits) as received:
        files = {kind: each.digest for kind, each in received.items()}
        event = Attacked(
            at=arrival.at, team=who.team, target=target, round=name, files=files, key=key, whole=arrival.whole
        )
        return take_in(site, who, event, received, response)


def take_in(
    site: Site, who: Principal, event: Submitted | Attacked, received: Mapping[str, Received], response: Response
) -> Receipt:
    """Have the referee rule on what is handed in; keep its files and its job before anybody is told.

    He is asked first without the ledger being held, so that files that he refuses anyway are never kept.
    """
    ruling = step(site.book.read().state, event)
    if ruling.refusal is not None:
        raise RefusedEventError(ruling.refusal)
    if not ruling.repeated:
        for each in received.values():
            site.store.keep(each)
    with site.book.write() as pen:
        ruling = pen.send(event)
        if not ruling.repeated:
            add_job(pen.session, pen.contest, JobKind.SCORE, at=event.at, entry=ruling.entry)
        row = pen.session.get_one(SubmissionRow, (pen.contest, ruling.entry))
        receipt = _write_receipt(pen.state, row, who, repeated=ruling.repeated)
    if ruling.repeated:
        response.status_code = 200
    return receipt


@router.post("/submissions/{number}/choose")
def choose_entry(number: Number, site: TheSite, who: Member, at: Moment) -> EntryAnswer:
    """Say that this release is the one that counts, where the rules leave that to the team."""
    entry = number_entries(site.book.read().state, who).find(number)
    try:
        with site.book.write() as pen:
            pen.send(Chosen(at=at, team=who.team, round=entry.round, entry=entry.number))
    except RefusedEventError as error:
        reason = error.refusal.reason
        if "number" not in reason.figures:
            raise
        # the ledger's number would tell how many files others have handed in
        raise RefusedEventError(replace(error.refusal, reason=reason.fill(number=number))) from error
    return read_entry(number, site, who, at)


@router.get("/left")
def read_left(
    site: TheSite,
    who: Member,
    round: Annotated[RoundName, Query()] = "",
    target: Annotated[TeamName, Query()] = "",
) -> Left:
    """Return how many files a team may still hand in, releases or attacks on a target."""
    kind = PhaseKind.ATTACK if target else PhaseKind.ANONYMISE
    return show_left(site.book.read().state, settle_round(site, kind, round), who.team, target)


@router.get("/submissions")
def list_releases(
    site: TheSite, who: TakingPart, at: Moment, team: Annotated[TeamName, Query()] = ""
) -> list[EntryAnswer]:
    """Return the releases of one's team, the newest first; to the referee those of all or of one."""
    return _list_entries(site, who, at, team, attacks=False)


@router.get("/attacks")
def list_attacks(
    site: TheSite, who: TakingPart, at: Moment, team: Annotated[TeamName, Query()] = ""
) -> list[EntryAnswer]:
    """Return the attacks of one's team, the newest first; to the referee those of all or of one."""
    return _list_entries(site, who, at, team, attacks=True)


@router.get("/submissions/{number}")
def read_entry(number: Number, site: TheSite, who: TakingPart, at: Moment) -> EntryAnswer:
    """Return what became of a file: its state, its score as the feedback allows, everything that is wrong with it."""
    state = site.book.read().state
    entry = number_entries(state, who).find(number)
    return show_entries(site, state, [entry], who, at)[0]


@router.get("/submissions/{number}/receipt")
def read_receipt(number: Number, site: TheSite, who: TakingPart) -> Receipt:
    """Return the receipt of a file once more."""
    state = site.book.read().state
    entry = number_entries(state, who).find(number)
    with site.database.read() as session:
        row = session.get_one(SubmissionRow, (site.book.contest, entry.number))
        return _write_receipt(state, row, who, repeated=True)


@router.get("/submissions/{number}/files/{kind}", response_class=FileResponse, responses=PART_FILE)
def read_entry_file(number: Number, kind: str, site: TheSite, who: TakingPart) -> FileResponse:
    """Return a file as it was handed in, to its own team and to the referee."""
    entry = number_entries(site.book.read().state, who).find(number)
    if kind not in entry.files:
        raise HTTPException(404)
    return send_file(site, entry.files[kind], f"entry-{number}-{name_part(kind)}")


def settle_round(site: Site, kind: PhaseKind, asked: str) -> str:
    """Return the round that is meant: the one asked for, else the rules' usual one."""
    if asked:
        return asked
    names = [each.round for each in site.book.read().state.contest.phases if each.kind is kind]
    usual = site.rules.usual_round
    return usual if usual in names or not names else names[-1]


def show_left(state: ContestState, round_name: str, team: str, target: str) -> Left:
    """Return how many files a team may still hand in."""
    kind = PhaseKind.ATTACK if target else PhaseKind.ANONYMISE
    kind = PhaseKind.PRACTICE if round_name == PRACTICE_ROUND else kind
    left = count_left(state, kind, round_name, team, target)
    return Left(scored=left["scored"], attempted=left["attempted"])


def show_entries(
    site: Site, state: ContestState, entries: list[ContestEntry], who: Principal, at: str
) -> list[EntryAnswer]:
    """Return entries as somebody who may see them does."""
    numbers = [entry.number for entry in entries]
    with site.database.read() as session:
        contest = site.book.contest
        jobs = {
            row.entry: row
            for row in session.scalars(
                select(JobRow).where(JobRow.contest == contest, JobRow.kind == JobKind.SCORE, JobRow.entry.in_(numbers))
            )
        }
        faults = {
            (row.submission, row.scorer, row.truth, row.rejudging): row.faults
            for row in session.scalars(
                select(ResultRow).where(ResultRow.contest == contest, ResultRow.submission.in_(numbers))
            )
        }
    numbering = number_entries(state, who)
    return [
        _show_entry(state, entry, numbering, at, jobs.get(entry.number), _find_faults(faults, entry))
        for entry in entries
    ]


def _find_faults(faults: Mapping[tuple[int, str, str, str], str], entry: ContestEntry) -> list[Plain]:
    """Return what is wrong with a file: as the judging says that counts, else as the first one did."""
    places = ((entry.number, *entry.judged, name) for name in (entry.rejudged, ""))
    return json.loads(next((faults[place] for place in places if place in faults), "[]"))


def _show_entry(
    state: ContestState, entry: ContestEntry, numbering: Numbering, at: str, job: JobRow | None, faults: list[Plain]
) -> EntryAnswer:
    if numbering.is_referee:
        score = {} if entry.worth is None else cast("Plain", json.loads(write_canonical(asdict(entry.worth))))
    else:
        score = {name: value for name, value in show_entry(state, entry, at).items() if name not in META}
    judged = entry.status in (EntryStatus.VALID, EntryStatus.INVALID)
    return EntryAnswer(
        entry=numbering.show(entry),
        at=entry.at,
        team=entry.team,
        round=entry.round,
        target=entry.target,
        status=str(entry.status),
        valid=entry.status is EntryStatus.VALID if judged else None,
        files=dict(entry.files),
        score=cast("Plain", score),
        errors=faults,
        count=entry.faults,
        counts_now=numbering.show_final(state, entry.round, entry.team, entry.target),
        job=None if job is None else JobAnswer(state=job.state, attempt=job.attempt, lease_until=job.lease_until),
    )


def _list_entries(site: Site, who: Principal, at: str, team: str, *, attacks: bool) -> list[EntryAnswer]:
    if not who.is_referee and team not in ("", who.team):
        raise HTTPException(403)
    wanted = team or who.team
    state = site.book.read().state
    entries = [entry for entry in reversed(state.entries) if entry.is_attack is attacks and wanted in ("", entry.team)]
    return show_entries(site, state, entries[:MOST_LISTED], who, at)


def _write_receipt(state: ContestState, row: SubmissionRow, who: Principal, *, repeated: bool) -> Receipt:
    """Return a receipt; a team's has no line of the ledger, for lines count what others do, but the digest of it."""
    numbering = number_entries(state, who)
    return Receipt(
        entry=numbering.show(state.entries[row.number - 1]),
        at=row.at,
        team=row.team,
        round=row.round,
        target=row.target,
        files=cast("dict[str, str]", json.loads(row.files)),
        repeated=repeated,
        counts_now=numbering.show_final(state, row.round, row.team, row.target),
        left=show_left(state, row.round, row.team, row.target),
        ledger_lines=row.line if who.is_referee else None,
        ledger_head=row.head,
    )


def open_files(sent: Mapping[str, SentFile | None]) -> dict[str, IO[bytes] | None]:
    """Return the contents of the files that a request brings; a field of a form without a file has no file's name."""
    return {kind: each.file if each is not None and each.filename else None for kind, each in sent.items()}


def count_upload(site: Site, who: Principal) -> None:
    """Refuse a team that sends files too often."""
    wait = site.limiter.take(f"uploads {who.team}", most=site.settings.limits.team_uploads)
    if wait:
        raise HTTPException(429, headers={"Retry-After": str(ceil(wait))})
