"""The commands of the contest's server: ``serve``, ``worker`` and ``remote``."""
