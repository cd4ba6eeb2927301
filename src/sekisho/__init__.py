"""Sekisho, the checkpoint that personal data pass before they leave."""

__all__: list[str] = []
