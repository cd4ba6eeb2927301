"""What made a result, so that it can be made again: version, name, parameters, seed, digests of the inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

CHUNK = 1 << 20


def digest_file(path: Path, *, tell: Callable[[int], object] | None = None) -> str:
    """Return the SHA-256 of a file, read in pieces; ``tell`` is told after each how many bytes were read."""
    state, read = sha256(), 0
    with path.open("rb") as stream:
        while piece := stream.read(CHUNK):
            state.update(piece)
            read += len(piece)
            if tell is not None:
                tell(read)
    return state.hexdigest()


def digest_files(path: Path) -> dict[str, str]:
    """Return the SHA-256 of a file, or of each file of a folder, by name."""
    files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    return {file.name: digest_file(file) for file in files}


@cache
def _version() -> str:
    return version("sekisho")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What made a result.

    Attributes:
        name: the method, adversary or command.
        parameters: its parameters as plain data.
        seed: the recorded seed; None where no chance played a part or the chance was secret.
        inputs: digests of the input files by name.
        version: of Sekisho.
    """

    name: str
    parameters: Mapping[str, object] = field(default_factory=dict[str, object])
    seed: int | None = None
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    version: str = field(default_factory=_version)

    def as_dict(self) -> dict[str, object]:
        """Return the whole as plain data for JSON."""
        return {
            "name": self.name,
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "inputs": dict(self.inputs),
            "version": self.version,
        }


def list_parameters(thing: object) -> dict[str, object]:
    """Return a frozen dataclass's parameters as plain data."""
    if not is_dataclass(thing):
        return {}
    return {item.name: _make_plain(getattr(thing, item.name)) for item in fields(thing)}


def _make_plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction | Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _make_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_make_plain(item) for item in value]
    return {type(value).__name__: list_parameters(value)} if is_dataclass(value) else repr(value)
