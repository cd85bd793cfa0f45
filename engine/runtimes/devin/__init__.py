"""Devin CLI; from its documentation (docs.devin.ai/cli), not run here."""
