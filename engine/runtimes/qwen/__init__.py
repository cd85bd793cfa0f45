"""Qwen Code, https://github.com/QwenLM/qwen-code; observed on 0.24.4."""
