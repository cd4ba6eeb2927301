"""``python -m sekisho`` is the command ``sekisho``."""

from __future__ import annotations

from sekisho.cli import main

main()
