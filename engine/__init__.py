"""The handoff engine: derives a packet from what happened. Standard library only, Python 3.9+."""
