"""Twenty exports of further made-up offices: all are read, nobody is proposed to leave, nothing is lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports import Finding, run, summarise
from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import look_at_file


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    pytest.importorskip("pyreadstat", reason="needs the extra statistics")
    corpus = pytest.importorskip("made_up_exports")
    folder = tmp_path_factory.mktemp("made_up")
    corpus.write_corpus(folder, seed=11)
    return run(folder, set(), 0)


def test_nobody_is_proposed_to_leave_and_nothing_is_lost_silently(findings: list[Finding]) -> None:
    assert [(each.file, each.error, each.missed, each.silent) for each in findings] == [
        (each.file, "", [], []) for each in findings
    ]


def test_files_are_read_rightly(findings: list[Finding]) -> None:
    figures = summarise(findings)
    assert (figures["files"], figures["ran"], figures["read"], figures["shape"]) == (20, 20, 20, 20)
    accepted, _, columns = str(figures["accepted roles"]).split()
    assert int(accepted) >= 0.95 * int(columns)


@pytest.mark.parametrize("header", ["Leserausweis", "Fob", "Constituent ID"])
def test_a_code_tells_people_apart_that_share_a_name(tmp_path: Path, header: str) -> None:
    rows = [f"X{10000 + n % 60 * 7},Holder {n % 60 % 25},2024-01-{n % 28 + 1:02}" for n in range(400)]
    (tmp_path / "own.csv").write_text("\n".join([f"{header},holder,visited on", *rows]) + "\n")
    look = look_at_file(tmp_path / "own.csv")
    assert [guess.look.name for guess in look.roles if guess.role == "identifier"] == [header]


def test_who_rode_is_the_person_and_not_who_drove(tmp_path: Path) -> None:
    rows = [f"{n:08},R{100 + n % 70},HC{20100 + n % 30},2024-01-{n % 28 + 1:02},{n % 9}.50" for n in range(400)]
    header = "ride_uuid,rider,badge_no,left_at,fare"
    (tmp_path / "own.csv").write_text("\n".join([header, *rows]) + "\n")
    look = look_at_file(tmp_path / "own.csv")
    assert (look.shape, [guess.look.name for guess in look.roles if guess.role == "identifier"]) == (
        Shape.HISTORY,
        ["rider"],
    )
