"""One file with the answers about all releases: taken apart, so that what is wrong about one costs that one alone."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from sekisho.contest.answers.confidence import CONFIDENCE
from sekisho.contest.answers.wide_file import split_answers, split_long, split_matrix
from sekisho.contest.folder.live import LiveContest
from sekisho.contest.tables.release import name_part
from sekisho.contest.tables.rules import TablesRules
from sekisho.contest.tables.scorer import Question, TablesScorer, unpack_answers
from sekisho.data.files.zip_guard import pack_files
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said


def split_attacks(contest: LiveContest, round_name: str, team: str, guess: Path) -> dict[str, bytes]:
    """Return by target what one file with the answers about all releases says of it.

    Of one question the file has the columns of all targets side by side, in the order of the teams' names. Of several
    it is an archive with a file for each: of confidences a matrix with a column a target, of times a long table whose
    first column names the target. A target that is left empty, or that has no release, is left out; what is said of
    one's own is not looked at.

    Raises:
        FaultsError: a line has too few or too many cells, or names no target.
        ParameterError: of these rules every target has a file of its own.
    """
    targets = tuple(sorted(contest.state.teams))
    wanted = {target for target in targets if contest.state.find_target(round_name, target) is not None} - {team}
    if not wanted or not isinstance(contest.rules, TablesRules):
        raise ParameterError("--target", Said("be given: every target has a file of its own"), None)
    scorer = cast("TablesScorer", contest.open_scorer(round_name, min(wanted)))
    if scorer.answer_width:
        return split_answers(guess, width=scorer.answer_width, targets=targets, wanted=wanted)
    with TemporaryDirectory() as place:
        told = unpack_answers(guess, scorer.questions, Path(place) / "told")
        return _split_questions(guess, scorer, told, targets, wanted)


def _split_questions(
    guess: Path, scorer: TablesScorer, told: dict[str, Path], targets: tuple[str, ...], wanted: Collection[str]
) -> dict[str, bytes]:
    found: dict[str, dict[str, bytes]] = {}
    faults: list[Fault] = []
    for question in scorer.questions:
        if question.file not in told:
            continue
        try:
            parts = _split_one(question, scorer, told[question.file], targets, wanted)
        except FaultsError as error:
            faults += [name_part(question.file, fault) for fault in error.faults]
            continue
        for target, data in parts.items():
            found.setdefault(target, {})[f"{question.file}.csv"] = data
    if faults:
        raise FaultsError(guess, faults)
    return {target: pack_files(files) for target, files in sorted(found.items())}


def _split_one(
    question: Question, scorer: TablesScorer, path: Path, targets: tuple[str, ...], wanted: Collection[str]
) -> dict[str, bytes]:
    if question.protection.answer == "confidence":
        return split_matrix(path, column=CONFIDENCE, targets=targets, wanted=wanted)
    if question.protection.answer == "interval":
        return split_long(path, targets=targets, wanted=wanted)
    width = len(question.examiner.find_form(scorer.find_original(question.part)).columns)
    return split_answers(path, width=width, targets=targets, wanted=wanted)
