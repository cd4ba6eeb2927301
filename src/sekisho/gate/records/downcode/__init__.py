"""What the cells of a release still can be, for one who knows how it was made.

Such an adversary is named in a recipe among the others, and found by ``DOWNCODERS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from sekisho.data.shape import Shape
from sekisho.registry import Registry

if TYPE_CHECKING:  # a recipe without such an adversary loads none
    from sekisho.data.trees.hierarchy import Tree
    from sekisho.gate.records.downcode.downcoding import DowncodeQuestion
    from sekisho.protect import Method


class Downcoder(Protocol):
    """A way to read values out of hidden and generalised cells."""

    shapes: ClassVar[frozenset[Shape]]

    def pose(
        self, method: Method | None, *, keys: tuple[str, ...], trees: Mapping[str, Tree]
    ) -> DowncodeQuestion | None:
        """Return what he asks of a release; None where he has nothing to ask of what its method made.

        Args:
            method: that made it here; None for a finished release, of which he says himself what made it.
            keys: of the recipe, where neither he nor the method names any.
            trees: of the recipe, likewise.
        """
        ...


DOWNCODERS: Registry[Downcoder] = Registry(
    kind="adversary",
    group="sekisho.adversaries",
    builtin={"downcode": "sekisho.gate.records.downcode.adversary:DowncodeAdversary"},
)
"""Those who read a method out of its cells; a recipe names them among its adversaries."""
