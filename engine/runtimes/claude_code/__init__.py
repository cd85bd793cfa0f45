"""Claude Code, https://code.claude.com; observed on 2.1.332."""
