"""A run beside its register: each candidate is attacked together with what left before, and the chosen one is entered.

What a shape knows of its earlier releases stands with it (:class:`Joined`): how a candidate is counted together with
them, and who is in it. The words are the same for all: *safe alone, unsafe together* is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sekisho.data.shape import Shape
from sekisho.errors import InputError
from sekisho.gate.account.register import account_for_earlier
from sekisho.gate.certificate.canonical import digest_bytes, write_canonical
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.outcome import OPEN_ACCOUNT, Attempt, Candidate, Certainty, Reason, Statement, Verdict
from sekisho.gate.output_files import OutputFiles
from sekisho.gate.policy import Policy, make_reason
from sekisho.gate.recipes.register import RegisterRules
from sekisho.gate.register.book import Register, RegisterProposal, list_file
from sekisho.gate.register.entries import (
    Binding,
    RegisteredPeople,
    RegisterEntry,
    ReleasedColumns,
    Together,
)
from sekisho.gate.register.key import RegisterKey
from sekisho.gate.statement_words import TOGETHER
from sekisho.words import Said, join_words

C = TypeVar("C", bound=Candidate[Attempt])
ALONE = Said("nothing left before that could be about the same people")
UNREAD = Said("not considered: what left before may be about the same people")
OTHERS = Said("the people of what is not considered are others")


@dataclass(frozen=True, slots=True, kw_only=True)
class JointStanding:
    """How a candidate stands together with what left before.

    Attributes:
        figures: as the entry has them.
        unsafe: why it is unsafe together; empty if it is not.
        doubts: why nothing can be promised, such as cells that do not admit the truth.
        pinned: who is known by the rows that two releases do not share.
        told: what was counted, in words.
        assumes: what must be so for it to hold.
        differences: what the rows tell that it and an earlier release do not share, as plain data.
    """

    figures: Together
    unsafe: str = ""
    doubts: tuple[Said, ...] = ()
    pinned: tuple[Said, ...] = ()
    told: Said = ALONE
    assumes: str = ""
    differences: Sequence[Mapping[str, object]] = ()


R_contra = TypeVar("R_contra", contravariant=True)


class Joined(Protocol[R_contra]):
    """What a shape knows of its earlier releases."""

    @property
    def binding(self) -> Binding:
        """How people are known again."""
        ...

    @property
    def columns(self) -> ReleasedColumns:
        """What the columns of the release are."""
        ...

    @property
    def alike(self) -> tuple[Said, ...]:
        """What looks like people who left before though nothing matches."""
        ...

    def list_trees(self, label: str) -> Mapping[str, bytes]:
        """Return by column the tree in whose labels a candidate may be written, as its file has it."""
        ...

    def stand(self, release: R_contra) -> JointStanding:
        """Return how a candidate stands together with what left before."""
        ...

    def list_people(self, best: Candidate[Attempt], files: OutputFiles) -> tuple[bytes, int]:
        """Return who is in the chosen release as a register keeps it, and how many they are."""
        ...

    def list_known(self, content: bytes, name: str) -> tuple[bytes, int]:
        """Return who may be in a release that was made elsewhere, and how many they are."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisterSession:
    """A register that a run has opened.

    Attributes:
        register: as it was when the run began.
        rules: what the recipe says of it.
        joined: what the shape knows of its earlier releases.
        shape: of the data.
        policy: which verdict each rule asks for.
    """

    register: Register
    rules: RegisterRules
    joined: Joined[Any]
    shape: Shape
    policy: Policy

    @property
    def earlier(self) -> tuple[RegisterEntry, ...]:
        """The releases of the same population and shape."""
        return list_population(self.register, self.rules, self.shape)

    def count(self, candidate: Candidate[Attempt]) -> Together:
        """Return what a candidate gives away together with what left before."""
        return self.joined.stand(candidate.release).figures

    def judge(self, candidate: C) -> C:
        """Return a candidate with what speaks against it together with what left before, and what is said of that."""
        standing = self.joined.stand(candidate.release)
        found = self.policy.judge(_list_reasons(standing, self.joined.binding, self.joined.alike))
        statement = Statement(
            standing=Certainty.REFUTED if standing.unsafe else Certainty.PROMISED,
            subject=TOGETHER,
            detail=self._tell(standing),
            assumes="" if standing.unsafe else self._assume(standing),
            figures={**_list_figures(standing.figures), "differences": list(standing.differences)},
        )
        account = replace(
            candidate.account,
            earlier=account_for_earlier(
                statement.detail,
                unsafe=bool(standing.unsafe),
                doubted=any(reason.verdict is not Verdict.RELEASE for reason in found),
            ),
        )
        told = tuple(
            replace(reason, detail=account.describe()) if reason.rule == OPEN_ACCOUNT else reason
            for reason in candidate.reasons
        )
        return replace(
            candidate,
            reasons=(*told, *found),
            statements=(*candidate.statements, statement),
            account=candidate.account if candidate.account.asks_round else account,
        )

    def _tell(self, standing: JointStanding) -> Said:
        """Return what was counted; where nothing of the population left before, what else stands in the register."""
        if standing.told != ALONE:
            return standing.told
        if self.joined.alike:
            return UNREAD
        others = sum(entry.erased is None for entry in self.register.entries) - len(self.earlier)
        if not others or self.earlier:
            return standing.told
        return Said(
            "nothing of this population left before; {others:,} other {others:release|releases} in the register "
            "{others:is|are} not considered",
            others=others,
        )

    def _assume(self, standing: JointStanding) -> str:
        """Return what must be so for what was counted to hold."""
        usual = standing.assumes or Said("nothing has left outside the register")
        return join_words([usual, OTHERS], "; ") if self.joined.alike else usual

    def propose(
        self, best: Candidate[Attempt], files: OutputFiles, certificate: Certificate
    ) -> RegisterProposal | None:
        """Return what is to be entered if the chosen candidate leaves; None where it must not."""
        if files.release is None:
            return None
        joined = self.joined
        people, count = joined.list_people(best, files) if joined.binding is not Binding.ASSUMED else (b"", 0)
        published = {name: files.offered[name] for name in files.releases}
        trees = joined.list_trees(best.label)
        entry = RegisterEntry(
            number=len(self.register.entries) + 1,
            previous=self.register.last,
            made=certificate.made,
            shape=self.shape,
            population=self.rules.population,
            method=best.label,
            recipe=digest_bytes(write_canonical(certificate.recipe)),
            columns=joined.columns,
            files={name: list_file(data) for name, data in published.items()},
            trees={name: list_file(data) for name, data in trees.items()},
            people=RegisteredPeople(binding=Binding.ASSUMED)
            if joined.binding is Binding.ASSUMED
            else RegisteredPeople(binding=joined.binding, count=count, file=list_file(people)),
            verdict=certificate.verdict,
            together=self.count(best),
            certificate=certificate.subject.body,
            versions=certificate.versions,
        )
        return RegisterProposal(entry=entry, published=published, trees=trees, people=people)

    def propose_outside(self, name: str, content: bytes, *, made: str, note: str) -> RegisterProposal:
        """Return the entry of a release that left without the gate: what was seen stays seen."""
        joined = self.joined
        people, count = joined.list_known(content, name)
        trees = joined.list_trees("")
        bound = RegisteredPeople(binding=Binding.KEYED, count=count, file=list_file(people))
        entry = RegisterEntry(
            number=len(self.register.entries) + 1,
            previous=self.register.last,
            made=made,
            shape=self.shape,
            population=self.rules.population,
            columns=joined.columns,
            files={name: list_file(content)},
            trees={column: list_file(data) for column, data in trees.items()},
            people=bound if people else RegisteredPeople(binding=Binding.ASSUMED),
            note=note,
        )
        return RegisterProposal(entry=entry, published={name: content}, trees=trees, people=people)


def open_register(rules: RegisterRules) -> tuple[Register, RegisterKey]:
    """Return the register of a recipe and its key; an act that was cut short is settled.

    Raises:
        InputError: one of them is not there, they do not belong together, or the register is not what it was.
    """
    folder = Path(rules.folder)
    register = Register.open(folder)
    key = RegisterKey.read(Path(rules.key), register=folder)
    register.check_key(key)
    with register.hold() as held:
        faults = list(held.list_faults())
        if faults:
            words = join_words(
                [Said("{source}: {reason}", source=each.column, reason=each.message) for each in faults], "; "
            )
            raise InputError(folder, Said("is not what was entered: {faults}", faults=words))
        return held, key


def list_population(register: Register, rules: RegisterRules, shape: Shape) -> tuple[RegisterEntry, ...]:
    """Return the releases of the same population and shape."""
    return tuple(entry for entry in register.entries if entry.population == rules.population and entry.shape is shape)


def _list_reasons(standing: JointStanding, binding: Binding, alike: Sequence[Said]) -> Iterator[Reason]:
    if standing.unsafe:
        yield make_reason("unsafe together", join_words((standing.unsafe,)))
    for doubt in standing.doubts:
        yield make_reason("together not promised", doubt)
    for pinned in standing.pinned:
        yield make_reason("left or came", pinned)
    for words in alike:
        yield make_reason("not known again", words)
    if binding is Binding.ASSUMED:
        yield make_reason(
            "people assumed",
            Said("nobody is known again: everybody counts as being in every earlier release of the population"),
        )


def _list_figures(together: Together) -> dict[str, object]:
    return {
        "least_alone": together.least_alone,
        "least_joint": together.least_joint,
        "disclosed_alone": together.disclosed_alone,
        "disclosed_joint": together.disclosed_joint,
        "releases": list(together.linked),
        "against": together.against,
    }
