"""``[write] format = "parquet"``: the same cells as the CSV, counted again from the file alone; no contest allows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.gate.runs import read_outputs, write_history, write_keyed, write_table, write_tested, write_trips

from sekisho.contest.rulebook import read_history_rules, read_record_rules
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.files import write_published
from sekisho.data.records.files import write_whole_rows
from sekisho.data.synthetic.health import health_records
from sekisho.errors import ParameterError, SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.recount import Check, PublishedForm
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.candidate import write_and_count
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.run import pass_gate
from sekisho.provenance import Provenance
from sekisho.seeds import Seed

PARQUET = '\n[write]\nformat = "parquet"\n'
WRITERS: list[Callable[[Path], Path]] = [write_trips, write_keyed, write_tested, write_table]
SHAPES = ["history", "keyed", "tested", "table"]


def ask_for_parquet(recipe: Path) -> Path:
    """Let a recipe ask for a release in Parquet."""
    recipe.write_text(recipe.read_text() + PARQUET)
    return recipe


def read_texts(path: Path) -> pl.DataFrame:
    """Return a release, CSV or Parquet, as sorted rows of texts."""
    frame = PublishedForm(file=path.name).read(path.parent)
    return frame.sort(frame.columns)


def list_recounted(out: Path) -> list[Check]:
    """Return what verify counted again in the published file."""
    found = verify_certificate(out / "public" / "certificate.json")
    assert found.valid
    return [each for each in found.checks if each.subject not in ("release.csv", "release.parquet", "release")]


@pytest.mark.parametrize("write", WRITERS, ids=SHAPES)
def test_the_release_is_parquet_with_the_cells_of_the_csv_and_is_counted_again(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    recipe = write(tmp_path)
    plain = pass_gate(recipe, out=tmp_path / "csv")
    assert plain.verdict is not Verdict.REFUSE
    out = tmp_path / "parquet"
    assert ReadRecipe.read(ask_for_parquet(recipe)).names[0] == "public/release.parquet"
    result = pass_gate(recipe, out=out)
    assert {path.name for path in (out / "public").iterdir()} == {"release.parquet", "report.html", "certificate.json"}
    assert result.certificate.release == "release.parquet"
    texts = read_texts(out / "public" / "release.parquet")
    assert texts.equals(read_texts(tmp_path / "csv" / "public" / "release.csv"))

    def list_figures(folder: Path) -> list[tuple[str, str]]:
        return [(each.subject, each.finding) for each in list_recounted(folder) if "." not in each.subject]

    assert list_figures(out) == list_figures(tmp_path / "csv")
    # the same run made again writes the same bytes
    before = read_outputs(out)
    pass_gate(recipe, out=out)
    assert read_outputs(out) == before


def test_values_keep_their_types(tmp_path: Path) -> None:
    pass_gate(ask_for_parquet(write_tested(tmp_path)), out=tmp_path / "gate")
    frame = pl.read_parquet(tmp_path / "gate" / "public" / "release.parquet")
    assert dict(frame.schema) == {"age": pl.Int64(), "town": pl.String()}


def test_nothing_public_names_a_person_or_the_seed_in_parquet(tmp_path: Path) -> None:
    pass_gate(ask_for_parquet(write_keyed(tmp_path)), out=tmp_path / "gate")
    public = tmp_path / "gate" / "public"
    frame = pl.read_parquet(public / "release.parquet")
    assert frame.columns == ["age", "town", "ill"]
    for path in public.iterdir():
        assert b"person-" not in path.read_bytes()
        assert b"987654321" not in path.read_bytes()


@pytest.mark.parametrize("write", [write_trips, write_keyed, write_table], ids=["history", "keyed", "table"])
def test_a_changed_parquet_is_found_by_counting_too(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    result = pass_gate(ask_for_parquet(write(tmp_path)), out=tmp_path / "gate")
    place = tmp_path / "gate" / "public" / "release.parquet"
    frame = pl.read_parquet(place)
    # one row more that is nobody's twin, in no class, and no cell of the table
    last = frame.tail(1).with_columns(pl.col(pl.String).str.head(0) + "?", pl.col(pl.Int64) + 1)
    pl.concat([frame, last]).write_parquet(place)
    found = verify_certificate(tmp_path / "gate" / "public" / "certificate.json")
    counted = {claim.subject for claim in (*result.certificate.claims.twins, *result.certificate.claims.classes)}
    counted |= {claim.subject for claim in result.certificate.claims.patterns}
    assert counted
    assert counted | {"release.parquet"} <= {each.subject for each in found.refuted}


def test_a_parquet_of_lists_is_refused_in_a_sentence(tmp_path: Path) -> None:
    pass_gate(ask_for_parquet(write_keyed(tmp_path)), out=tmp_path / "gate")
    place = tmp_path / "gate" / "public" / "release.parquet"
    pl.DataFrame({"age": [[{"x": 1}]], "town": [[{"x": 1}]], "ill": ["a"]}).write_parquet(place)
    found = verify_certificate(tmp_path / "gate" / "public" / "certificate.json")
    words = {each.subject: each.finding for each in found.refuted}
    assert words["classes of equal keys"].endswith("has a column of other than texts, numbers and dates")


def test_another_format_leaves_nothing_of_the_first_behind(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")
    pass_gate(ask_for_parquet(recipe), out=tmp_path / "gate")
    assert not (tmp_path / "gate" / "public" / "release.csv").exists()
    result = pass_gate(ask_for_parquet(write_keyed(tmp_path, k=9)), out=tmp_path / "gate")
    assert result.verdict is Verdict.REFUSE
    assert not (tmp_path / "gate" / "public" / "release.parquet").exists()


def test_the_rules_of_a_contest_refuse_it_with_all_other_faults(tmp_path: Path) -> None:
    recipe = ask_for_parquet(write_history(tmp_path))
    recipe.write_text(recipe.read_text().replace("k = 7", "k = 0"))
    with pytest.raises(SettingsError) as caught:
        ReadRecipe.read(recipe)
    messages = [fault.message for fault in caught.value.faults]
    assert "write.format must be csv under a contest's rules, not 'parquet'" in messages
    assert len(messages) == 2


def test_the_library_refuses_it_too() -> None:
    rules, out = read_record_rules("pwscup2021"), Path("D.parquet")
    data = health_records(20, rng=Seed(1).rng())
    release = Release(table=exact_table(data), deleted=np.zeros(20, dtype=np.bool_), provenance=Provenance(name="x"))
    with pytest.raises(ParameterError, match="format must be csv under a contest's rules"):
        write_whole_rows(data, rules, out)
    with pytest.raises(ParameterError, match="format must be csv under a contest's rules"):
        write_and_count(release, rules, out)
    with pytest.raises(ParameterError, match="format must be csv under a contest's rules"):
        write_published(release, read_history_rules("pwscup2018"), out)
