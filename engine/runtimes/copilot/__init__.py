"""GitHub Copilot CLI, https://github.com/github/copilot-cli; observed on 1.0.102."""
