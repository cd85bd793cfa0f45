"""Goose, https://github.com/block/goose; from documentation, not run here."""
