"""The `handoff` command: sets the generator up in repositories and keeps its hooks there."""

__version__ = "0.3.0"
