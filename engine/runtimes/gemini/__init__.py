"""Gemini CLI, https://github.com/google-gemini/gemini-cli; observed on 0.61.0."""
