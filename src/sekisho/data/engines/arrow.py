"""Names for what pyarrow gives, which comes without types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Batch: TypeAlias = Any
"""``pyarrow.RecordBatch``: a block of rows."""
Table: TypeAlias = Any
"""``pyarrow.Table``: rows, whole."""
ArrowSchema: TypeAlias = Any
"""``pyarrow.Schema``: names and types of columns."""
ArrowType: TypeAlias = Any
"""``pyarrow.DataType``."""
Kernel: TypeAlias = Callable[[Batch], Batch]
"""Works on a block of rows, whichever: pure, and fit to be sent to another machine."""
GroupKernel: TypeAlias = Callable[[Table], Table]
"""Works on all rows of a group at once, in whatever order: pure, and fit to be sent to another machine."""
