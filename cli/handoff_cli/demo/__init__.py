"""The demo: a session recorded on the real Claude Code, played through the installed hooks."""
