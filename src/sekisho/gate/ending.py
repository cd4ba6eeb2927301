"""How a run ends, in three lines: may it leave, why, and which file leaves or what would help.

The same value is printed on the terminal, stands on top of the pages and in JSON, whatever door asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.gate.account.account import Account
from sekisho.gate.outcome import Attempt, Candidate, Certainty, Reason, Verdict, find_verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.gate.statement_words import INTERVALS
from sekisho.words import Said, WriteSetting, join_words, split_words, write_settings

DECISIONS = {
    Verdict.RELEASE: "may leave",
    Verdict.REVIEW: "a person must decide",
    Verdict.REFUSE: "must not leave",
}
"""What stands in JSON."""
HEADLINES = {
    Verdict.RELEASE: Said("THIS MAY LEAVE"),
    Verdict.REVIEW: Said("A PERSON MUST DECIDE"),
    Verdict.REFUSE: Said("THIS MUST NOT LEAVE"),
}
ROUND_HEADLINES = {
    Verdict.RELEASE: Said("THE ROUND'S CONDITIONS HOLD"),
    Verdict.REVIEW: Said("A PERSON MUST DECIDE"),
    Verdict.REFUSE: Said("THE ROUND'S CONDITIONS DO NOT HOLD"),
}
"""Under a contest's rules the question is another: nobody is told that anything may leave."""
ROUND_DECISIONS = {
    Verdict.RELEASE: "conditions hold",
    Verdict.REVIEW: "a person must decide",
    Verdict.REFUSE: "conditions do not hold",
}
"""What stands in JSON then."""
ASK_ADVICE = Said("what to change is found out by: sekisho advise")
MOST_CHANGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a run.

    Attributes:
        verdict: what should happen with the release.
        why: in one sentence.
        file: the file that may leave; empty where none may.
        changes: what would help most, best first; said only where nothing may leave yet.
        awaits: the file that awaits a person's decision; empty where none does.
        folder: of the run, where two persons decide about what awaits them; empty where they do so by other means.
        ask: how to find out what would help, where nothing was tried; empty where that is not said.
        cautions: what was not considered though it could have been; said of what may leave, whose box is then not
            green.
        remarks: what else belongs to the answer.
        asks_round: whether the conditions of a contest's round were the question, and not whether anything may leave.
        account: what covers everything that leaves; None where its page does not show it.
    """

    verdict: Verdict
    why: Said
    file: str = ""
    changes: tuple[Said, ...] = ()
    awaits: str = ""
    folder: str = ""
    ask: str = ASK_ADVICE
    cautions: tuple[str, ...] = ()
    remarks: tuple[Said, ...] = ()
    asks_round: bool = False
    account: Account | None = None

    @property
    def is_clear(self) -> bool:
        """Whether it may leave and nothing was left out of consideration."""
        return self.verdict is Verdict.RELEASE and not self.cautions

    @property
    def explanation(self) -> Said:
        """Why, what was not considered, and what else belongs to the answer."""
        cautions = self.cautions if self.verdict is Verdict.RELEASE else ()
        more = (*cautions, *self.remarks)
        return join_words((self.why, *more), " ") if more else self.why

    @property
    def headline(self) -> Said:
        """May it leave, or do the round's conditions hold, in large letters."""
        return (ROUND_HEADLINES if self.asks_round else HEADLINES)[self.verdict]

    @property
    def last_line(self) -> Said:
        """The file that may leave, or what would help most."""
        if self.verdict is Verdict.RELEASE and self.asks_round:
            return Said("The file for the contest: {file}", file=self.file)
        if self.verdict is Verdict.RELEASE:
            return Said("The file that may leave: {file}", file=self.file)
        if self.verdict is Verdict.REFUSE or not self.awaits:
            return self._tell_changes()
        lines = [Said("It awaits the decision here: {file}.", file=self.awaits)]
        if self.folder:
            lines.append(Said("Two persons decide by: sekisho review {folder}.", folder=self.folder))
        if self.changes or self.ask:
            lines.append(self._tell_changes())
        return join_words(lines, " ")

    def _tell_changes(self) -> Said:
        if not self.changes:
            return Said("What would help is not known yet; {ask}", ask=self.ask) if self.ask else join_words(())
        numbered = [
            Said("({number}) {change}", number=number, change=change)
            for number, change in enumerate(self.changes[:MOST_CHANGES], 1)
        ]
        return Said("What would help most: {changes}", changes=join_words(numbered, "; "))

    def write_settings(self, write: WriteSetting) -> Ending:
        """Return it with settings as a door writes them."""
        written = write_settings(self.why, write)
        why = written if isinstance(written, Said) else self.why
        return replace(self, why=why, cautions=tuple(write_settings(one, write) for one in self.cautions))

    def on_page(self) -> Ending:
        """Return it as it stands on a page of its own: files by their names, wherever they were written."""
        return replace(self, file=_name_files(self.file), awaits=_name_files(self.awaits))

    def list_lines(self) -> tuple[Said, Said, Said]:
        """Return the three lines."""
        return self.headline, self.explanation, self.last_line

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        decisions = ROUND_DECISIONS if self.asks_round else DECISIONS
        told: dict[str, object] = {"decision": decisions[self.verdict], "why": self.why}
        told |= {key: list(words) for key, words in (("cautions", self.cautions), ("remarks", self.remarks)) if words}
        return told | ({"file": self.file} if self.verdict is Verdict.RELEASE else {"changes": list(self.changes)})


def list_files(paths: Sequence[Path]) -> str:
    """Return files that leave together as an ending names them."""
    return str(paths[0]) if len(paths) == 1 else join_words(map(str, paths), ", ", ", ")


def move_files(files: str, folder: Path) -> str:
    """Return files as an ending names them, below a folder."""
    return list_files([folder / place for place in split_words(files)])


def _name_files(files: str) -> str:
    """Return files by their names; what is said in place of a file stays."""
    places = split_words(files)
    if len(places) > 1:
        return list_files([Path(Path(place).name) for place in places])
    return files if isinstance(files, Said) else Path(files).name


def end_release(candidate: Candidate[Attempt], out: Path | Said, *, table: bool = False) -> Ending:
    """Return how the making of one release ends that was written to a file, or says how that file is written."""
    return Ending(
        verdict=candidate.verdict,
        why=tell_why(candidate, table=table),
        file=str(out) if candidate.verdict is Verdict.RELEASE else "",
        awaits=str(out) if candidate.verdict is Verdict.REVIEW and isinstance(out, Path) else "",
        cautions=candidate.cautions,
        remarks=candidate.remarks,
        asks_round=candidate.account.asks_round,
        account=candidate.account,
    )


def tell_why(candidate: Candidate[Attempt], *, table: bool = False) -> Said:
    """Return why a candidate's verdict is what it is, with no more in it than is proven; its account first."""
    if candidate.verdict is not Verdict.RELEASE:
        return tell_reasons(candidate.reasons)
    return Said("{account}. {rest}", account=candidate.account.describe(), rest=_tell_rest(candidate, table=table))


def _tell_rest(candidate: Candidate[Attempt], *, table: bool) -> Said:
    """Return what was proven or tried beside the account of a release that may leave."""
    tables = [one for one in candidate.statements if one.subject == INTERVALS]
    if any(one.standing is Certainty.PROVEN for one in tables):
        return _tell_proven(candidate.against)
    if table:
        return Said(
            "Nothing was found that forbids it: the pattern's own certificate proves what is hidden against "
            "{attackers}.",
            attackers=candidate.against,
        )
    if not candidate.attempts:
        return Said("Nothing was found that forbids it; nobody has attacked it (sekisho gate lets attackers try).")
    return Said(
        "Everything that was asked for holds, and {attacks} {attacks:attack|attacks} did not refute it.",
        attacks=len(candidate.attempts),
    )


def _tell_proven(attackers: str) -> Said:
    """Return that nobody estimates an unsafe cell too closely, and against whom that is proven, if it is told."""
    if attackers:
        return Said(
            "No attacker who knows the published cells and all equations estimates an unsafe cell too closely: that is "
            "proven against {attackers}.",
            attackers=attackers,
        )
    return Said(
        "No attacker who knows the published cells and all equations estimates an unsafe cell too closely: that is "
        "proven."
    )


def tell_reasons(reasons: Sequence[Reason], *, figures: bool = True) -> Said:
    """Return the weightiest reason against a release, and how many others there are, as a sentence of its own."""
    return Said("Why: {reason}.", reason=name_weightiest(reasons, figures=figures))


def name_weightiest(reasons: Sequence[Reason], *, figures: bool = True) -> Said:
    """Return the weightiest reason against a release, and how many others there are.

    Args:
        reasons: why the verdict is no better.
        figures: whether their figures, which may name a cell or a column, may be told.
    """
    verdict = find_verdict(reasons)
    weighty = [one for one in reasons if one.verdict is verdict]
    first, more = weighty[0], len(weighty) - 1
    known = POLICY_RULES.get(first.rule)
    meaning = first.rule if known is None else known.meaning
    told = Said("{meaning}: {detail}", meaning=meaning, detail=first.detail) if figures else join_words((meaning,))
    return Said("{reason}; and {more} more {more:reason|reasons}", reason=told, more=more) if more else told
