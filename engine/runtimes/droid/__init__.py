"""Factory droid; from its documentation (docs.factory.ai), not run here."""
