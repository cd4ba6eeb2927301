"""How the commands about linked tables are asked to use the joint table, and how they tell what is covered."""

from __future__ import annotations

from typing import Annotated

import typer

from sekisho.tables.model.cover import Cover, Gap, Joint
from sekisho.tables.model.joint import MOST

UseJoint = Annotated[
    bool | None,
    typer.Option(
        "--joint/--no-joint",
        help="Use that no cell of the joint table over all dimensions is below 0; if not said, where the tables form a cycle and "
        f"it has at most {MOST:,} cells.",
    ),
]


def covered(joint: Joint) -> dict[str, object]:
    """Return what an answer tells of the joint table."""
    keys: dict[str, object] = {"joint": joint.cover.value}
    if joint.cover is not Cover.NONE_NEEDED:
        keys["joint_cells"] = joint.cells
    return {**keys, "limit": joint.limit} if joint.limit else keys


def unasked_limit(joint: Joint) -> bool:
    """Tell whether the joint table is not covered although nobody asked for that."""
    return joint.cover is Cover.NOT_COVERED and joint.gap is not Gap.ASKED
