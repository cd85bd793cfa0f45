"""Agents of the Agent Client Protocol without hooks: `handoff chat`, which drives them, reports."""
