"""Twenty exports of further made-up offices: all are read, nobody is proposed to leave, nothing is lost without a word."""

from __future__ import annotations

import pytest

from exports import Finding, run, summarise


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
