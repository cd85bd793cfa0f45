"""Cursor and its `agent` CLI, https://cursor.com; from documentation, not run here."""
