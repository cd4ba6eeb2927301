"""Compiled code is kept for the very sources that it was compiled from."""

from __future__ import annotations

from pathlib import Path

import pytest
from numba.core import config

from sekisho.kernels import PACKAGE, PackageCacheLocator, choose_folder, compute_key


def refuse(*_: object) -> bool:
    return False


CALLER = "@njit\ndef twice(x):\n    return 2 * once(x)\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "room" / "called.py").write_text("@njit\ndef once(x):\n    return x\n")
    (tmp_path / "plain.py").write_text("ONE = 1\n")
    return tmp_path


def test_a_changed_function_that_others_call_gives_them_another_folder(package: Path) -> None:
    before = compute_key(package)
    (package / "room" / "called.py").write_text("@njit\ndef once(x):\n    return x + 1\n")
    assert compute_key(package) != before


def test_a_moved_function_gives_another_folder(package: Path) -> None:
    before = compute_key(package)
    (package / "room" / "called.py").rename(package / "called.py")
    assert compute_key(package) != before


def test_files_without_compiled_functions_change_nothing(package: Path) -> None:
    before = compute_key(package)
    (package / "plain.py").write_text("ONE = 2\n")
    (package / "new.py").write_text("TWO = 2\n")
    assert compute_key(package) == before


def test_a_place_that_was_named_is_kept_to(package: Path, tmp_path: Path) -> None:
    named = tmp_path / "elsewhere"
    assert choose_folder(package, str(named)).parent == named
    assert choose_folder(package, "").parent == package / "__pycache__"


def test_where_the_package_cannot_be_written_the_user_keeps_it(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert choose_folder(package, "").parent == tmp_path / "mine" / "sekisho"


def test_numba_keeps_what_it_compiles_there() -> None:
    assert Path(str(vars(config)["CACHE_DIR"])).name == f"kernels-{compute_key(PACKAGE)}"


def test_a_function_lies_by_its_place_in_the_package_wherever_the_clone_is() -> None:
    assert PackageCacheLocator.get_suitable_cache_subpath(str(PACKAGE / "safety" / "claim.py")) == "sekisho.safety"


def test_functions_of_other_packages_are_left_to_numba(tmp_path: Path) -> None:
    source = tmp_path / "elsewhere.py"
    source.write_text(CALLER)
    assert PackageCacheLocator.from_function(refuse, str(source)) is None
