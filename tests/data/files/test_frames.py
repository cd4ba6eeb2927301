"""A file must be read as it was written, and a file that is none be refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sekisho.data.files.csv_form import SEPARATORS
from sekisho.data.files.plain_table import frame_bytes, read_frame
from sekisho.errors import FaultsError, InputError, MissingFileError, ParameterError

FRAME = pl.DataFrame({"a": ["x", "y,z"], "n": ["1", None]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(frame_bytes(FRAME, path, separator=separator))
    found = read_frame(path)
    assert found.frame.equals(FRAME)
    names: dict[str, str] = dict(zip(SEPARATORS, ("comma", "semicolon", "tab", "bar"), strict=True))
    assert names[separator] in found.form


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path, frame = tmp_path / "f.parquet", pl.DataFrame({"a": [1, 2], "b": ["x", None]})
    path.write_bytes(frame_bytes(frame, path))
    assert read_frame(path).frame.equals(frame)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="is no Parquet file"):
        read_frame(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "is empty"), ("a,a\n1,2\n", "distinct name"), ("a,\n1,2\n", "distinct name"), ("a,b\n1,2,3\n", "3 cells")],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises((InputError, FaultsError), match=reason):
        read_frame(tmp_path / "f.csv")


def test_japanese_text_is_read_and_its_encoding_told(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes("地域,数\n東京,3\n".encode("cp932"))
    found = read_frame(tmp_path / "f.csv")
    assert (found.frame.columns, "cp932" in found.form) == (["地域", "数"], True)
    assert read_frame(tmp_path / "f.csv", encoding="cp932").frame.columns == ["地域", "数"]
    with pytest.raises(InputError, match="CP932"):
        read_frame(tmp_path / "f.csv", encoding="utf-8")
    (tmp_path / "f.csv").write_bytes(b"a\x81 ,b\n1,2\n")
    with pytest.raises(InputError, match="not utf-8"):
        read_frame(tmp_path / "f.csv")


def test_a_missing_file_and_a_bad_separator() -> None:
    with pytest.raises(MissingFileError):
        read_frame(Path("nowhere.csv"))
    with pytest.raises(ParameterError, match="separator"):
        frame_bytes(FRAME, Path("f.csv"), separator="")
