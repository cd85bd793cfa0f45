"""OpenCode, https://opencode.ai; observed on 1.18.33."""
