"""Codex CLI, https://github.com/openai/codex; observed on 0.171.0."""
