"""Whoever takes what lies in ``public`` needs to read nothing to be safe: it is empty unless the verdict is *release*.

Over every shape, every verdict, and whatever an earlier run left there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gate.runs import write_history, write_keyed, write_table, write_tested

from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.output_files import CERTIFICATE, RELEASES, REPORT, place_files
from sekisho.gate.policy import Policy
from sekisho.journey.folders import OutputFolders
from sekisho.journey.run import pass_gate
from sekisho.report.kit.edition import BADGES, Badge
from sekisho.words import Language, Said, translate

NAMES = st.sets(st.sampled_from([*RELEASES.values(), REPORT]))
RUNS = st.lists(st.tuples(st.sampled_from(Verdict), NAMES), min_size=1, max_size=5)


def list_names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


@given(runs=RUNS)
def test_whatever_ran_before_public_holds_files_only_after_a_release(runs: list[tuple[Verdict, set[str]]]) -> None:
    with TemporaryDirectory() as place:
        folders = OutputFolders(Path(place) / "gate")
        for number, (verdict, names) in enumerate(runs):
            files = dict.fromkeys(names, str(number).encode())
            placed = place_files(verdict, offered=files, confidential={"truth.csv": b""}, certificate=b"{}")
            with folders.hold():
                folders.deliver(placed)
            offered = {*names, CERTIFICATE}
            assert list_names(folders.public) == (offered if verdict is Verdict.RELEASE else set())
            assert list_names(folders.proposed) == (offered if verdict is Verdict.REVIEW else set())
            assert (folders.out / placed.certificate).read_bytes() == b"{}"
            certificates = [path for path in folders.out.rglob(CERTIFICATE) if path.is_file()]
            assert certificates == [folders.out / placed.certificate]


@pytest.mark.parametrize("verdict", [Verdict.REVIEW, Verdict.REFUSE])
@pytest.mark.parametrize("write", [write_history, write_keyed, write_tested, write_table])
def test_of_every_shape_nothing_is_public_unless_it_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path], verdict: Verdict
) -> None:
    recipe, out = write(tmp_path), tmp_path / "gate"
    free = pass_gate(recipe, out=out)
    assert free.verdict is Verdict.RELEASE
    assert list_names(out / "public") == set(free.public) == {"release.csv", REPORT, CERTIFICATE}
    assert (free.proposed, list_names(out / "confidential" / "proposed")) == ({}, set())
    assert translate(BADGES[Badge.MAY_LEAVE], Language.JA) in free.public[REPORT].decode()

    def add_reason(_: Policy, reasons: Iterable[Reason]) -> tuple[Reason, ...]:
        exceeded = Said("{name} is {value:.4g}, at most {limit:g} leaves unseen", name="ncp", value=1.0, limit=0.0)
        return (*reasons, Reason(rule="limit exceeded", verdict=verdict, detail=exceeded))

    recipe.write_text(f'{recipe.read_text()}\n[policy]\n"limit exceeded" = "{verdict}"\n')
    monkeypatch.setattr(Policy, "judge", add_reason)
    result = pass_gate(recipe, out=out)
    answer = result.as_dict()
    assert (result.verdict, result.public, answer["public"], list_names(out / "public")) == (verdict, {}, [], set())
    review = verdict is Verdict.REVIEW
    assert list_names(out / "confidential" / "proposed") == set(result.proposed)
    assert set(result.proposed) == ({"release.csv", REPORT, CERTIFICATE} if review else set())
    found = verify_certificate(Path(str(answer["certificate"])))
    assert found.valid, [each.finding for each in found.refuted]
    assert any(each.subject == "opening" for each in found.checks)  # it was found where it lies
    pages = [path.read_text() for path in (out / "confidential").rglob("*.html")]
    assert not [
        page
        for page in pages
        if BADGES[Badge.MAY_LEAVE] in page or translate(BADGES[Badge.MAY_LEAVE], Language.JA) in page
    ]
    if review:
        shown = result.proposed[REPORT].decode()
        assert BADGES[Badge.AWAITS_REVIEW] in shown
        assert translate(BADGES[Badge.AWAITS_REVIEW], Language.JA) in shown
