"""What a plain installation leaves out, each under the name by which it is installed: ``pip install '.[large]'``.

A plain installation has what one file on one machine needs. What few need and many would have to carry (a server, a
second solver, engines for files beyond memory) is an extra, and whoever asks for it is told its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from sekisho.errors import ParameterError
from sekisho.words import Said

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "large": ("duckdb", "pyarrow"),
    "scip": ("pyscipopt",),
    "server": (
        "alembic",
        "argon2",
        "fastapi",
        "jinja2",
        "python_multipart",
        "sqlalchemy",
        "starlette",
        "structlog",
        "uvicorn",
    ),
    "spark": ("pyspark", "pyarrow"),
    "statistics": ("pyreadstat",),
}
"""By extra, the modules that must be there."""


def require_extra(extra: str, parameter: str, value: object) -> None:
    """Refuse to go on without the libraries of an extra.

    Args:
        extra: its name, one of :data:`EXTRAS`.
        parameter: what was asked for that needs it.
        value: what was said there.

    Raises:
        ParameterError: naming the extra that brings them.
    """
    if not has_extra(extra):
        hint = Said("the extra {extra}: pip install '.[{extra}]' in the folder of Sekisho's sources", extra=extra)
        raise ParameterError(parameter, Said("be installed"), value, hint=hint)


def has_extra(extra: str) -> bool:
    """Tell whether the libraries of an extra are installed."""
    return not any(_is_absent(name) for name in EXTRAS[extra])


def _is_absent(name: str) -> bool:
    try:
        return find_spec(name) is None
    except ValueError:  # a module that is there, but that says nothing of where it came from
        return False
