"""A release entered in its register in the same act in which it becomes public: both happen, or neither.

What is to be entered is kept with the run, for a release may wait for two persons' approval, and a desk's run becomes
public only when it is handed over. The register is held during the act: what is entered follows from the very releases
that the run was attacked together with, else the run must be made again.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from sekisho.data.files.settings import build_settings
from sekisho.data.files.whole_files import read_bytes
from sekisho.errors import ParameterError
from sekisho.gate.certificate.canonical import digest_bytes, list_entries, read_json, write_readable
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.counted.history import CountedHistoryStage
from sekisho.gate.counted.records import CountedRecordsStage
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, Candidate
from sekisho.gate.output_files import CERTIFICATE, TO_REGISTER, TO_REGISTER_PEOPLE, OutputFiles
from sekisho.gate.recipes.register import RegisterRules
from sekisho.gate.records.keys_judge import KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.register.book import Intent, Register, RegisterProposal
from sekisho.gate.register.entries import RegisterEntry
from sekisho.gate.register.histories import RegisteredHistory
from sekisho.gate.register.records import RegisteredRecords
from sekisho.gate.register.session import Joined, RegisterSession, open_register
from sekisho.gate.register.tables import RegisteredTable
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.folders import OutputFolders
from sekisho.words import Said

AnyStage: TypeAlias = HistoryStage | RecordsStage | TableStage | CountedHistoryStage | CountedRecordsStage
MOST_BYTES = 1 << 28


class EnteredOn(StrEnum):
    """In which act a release becomes public.

    Attributes:
        PUBLISHING: its run, or the decision about it, puts it into the run's ``public``.
        HANDING_OVER: that is only looked at; it becomes public when it is handed over to another place.
    """

    PUBLISHING = "publishing"
    HANDING_OVER = "handing over"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProposal:
    """What is to be entered, as a run keeps it.

    Attributes:
        register: the folder.
        on: the act.
        entry: as it will stand there.
        trees: by column the text of its tree.
    """

    register: str
    on: EnteredOn
    entry: RegisterEntry
    trees: Mapping[str, str] = field(default_factory=dict[str, str])


def open_session(rules: RegisterRules, stage: AnyStage) -> tuple[AnyStage, RegisterSession]:
    """Return what left before, as far as it is about the people of a stage; the stage tries the last classes if asked.

    Raises:
        InputError: the register or its key is not there, or not what it was.
        ParameterError: data of this shape have no register.
    """
    register, key = open_register(rules)
    joined: Joined[Any]
    if isinstance(stage, HistoryStage):
        joined, policy = RegisteredHistory.open(stage, register, key, rules), stage.recipe.policy
    elif isinstance(stage, RecordsStage) and isinstance(judge := stage.judge, KeysJudge):
        joined, policy = RegisteredRecords.open(stage, judge, register, key, rules), stage.recipe.policy
    elif isinstance(stage, TableStage):
        joined, policy = RegisteredTable.open(stage, register, rules), stage.policy
    else:
        rule = Said("be of tables, histories, or records judged by their keys")
        raise ParameterError("register", rule, stage.shape.value)
    session = RegisterSession(register=register, rules=rules, joined=joined, shape=stage.shape, policy=policy)
    if isinstance(joined, RegisteredRecords):
        return joined.prepare_stage(register, rules), session
    if rules.like_last and isinstance(joined, RegisteredTable):
        return joined.keep_pattern(), session
    return stage, session


def keep_proposal(
    session: RegisterSession | None,
    best: Candidate[Attempt] | None,
    files: OutputFiles,
    certificate: Certificate,
    on: EnteredOn,
) -> dict[str, bytes]:
    """Return the confidential files in which a run keeps what is to be entered once its release becomes public.

    Args:
        session: of the run; nothing is kept where it has none.
        best: the chosen candidate, if there is one.
        files: what is written of it.
        certificate: of the run.
        on: the act in which it becomes public.
    """
    proposal = None if session is None or best is None else session.propose(best, files, certificate)
    if session is None or proposal is None:
        return {}
    kept = KeptProposal(
        register=str(session.register.folder.absolute()),
        on=on,
        entry=proposal.entry,
        trees={name: data.decode() for name, data in proposal.trees.items()},
    )
    people = {TO_REGISTER_PEOPLE: proposal.people} if proposal.people else {}
    return {TO_REGISTER: write_readable(list_entries(kept)), **people}


@contextmanager
def enter_with(
    confidential: Path | Mapping[str, bytes], public: Mapping[str, bytes], *, into: OutputFolders, on: EnteredOn
) -> Generator[None]:
    """Enter what becomes public inside; nothing where the run has no register, or another act is the one.

    Args:
        confidential: where the run keeps what is to be entered, or the files themselves.
        public: what becomes public, by name, the certificate among it.
        into: the place in whose ``public`` it will stand.
        on: this act.

    Raises:
        InputError: another release was entered since this one was judged, or something cannot be written; then nothing
            has become public.
    """
    kept = _read_kept(confidential)
    if kept is None or kept[0].on is not on or CERTIFICATE not in public:
        yield
        return
    wanted, people = kept
    proposal = RegisterProposal(
        entry=wanted.entry,
        published={name: public[name] for name in wanted.entry.files},
        trees={name: text.encode() for name, text in wanted.trees.items()},
        people=people,
    )
    place = into.public.absolute() / CERTIFICATE
    intent = Intent(place=str(place), certificate=digest_bytes(public[CERTIFICATE]))
    with Register.open(Path(wanted.register)).hold() as register:
        register.prepare(proposal, intent)
        try:
            yield
        except BaseException:
            if not intent.happened:
                register.drop()
            raise
        register.commit()


def add_release(session: RegisterSession, published: Path, *, made: str, note: str = "") -> RegisterEntry:
    """Enter a release that left without the gate, or before there was a register; return its entry.

    Args:
        session: of the recipe whose original the release was made of.
        published: the file that left.
        made: when it is entered, in UTC.
        note: what else is to be said of it.

    Raises:
        SekishoError: the file cannot be read beside the original, or another release was entered meanwhile.
    """
    content = read_bytes(published)
    proposal = session.propose_outside(f"release{published.suffix}", content, made=made, note=note)
    intent = Intent(place=str(published.absolute()), certificate=digest_bytes(content))
    with session.register.hold() as register:
        register.prepare(proposal, intent)
        register.commit()
    return proposal.entry


def _read_kept(confidential: Path | Mapping[str, bytes]) -> tuple[KeptProposal, bytes] | None:
    if isinstance(confidential, Path):
        place, people = confidential / TO_REGISTER, confidential / TO_REGISTER_PEOPLE
        if not place.is_file():
            return None
        kept = build_settings(read_json(place, max_bytes=MOST_BYTES), KeptProposal, source=str(place))
        return kept, read_bytes(people) if people.is_file() else b""
    if TO_REGISTER not in confidential:
        return None
    kept = build_settings(json.loads(confidential[TO_REGISTER]), KeptProposal, source=TO_REGISTER)
    return kept, confidential.get(TO_REGISTER_PEOPLE, b"")
