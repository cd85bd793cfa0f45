"""Secrets out of text: each is replaced by a typed marker, `[redacted:github-token]`.

First version: well-known shapes only. Patterns are compiled when their trigger occurs, since a
hook pays for every one of them.
"""

from __future__ import annotations

import re

_SECRET_NAME = (
    r"[A-Za-z0-9_.-]*(?:api[_-]?key|secret|token|passw(?:or)?d|passwd|credential|private[_-]?key"
    r"|access[_-]?key)[A-Za-z0-9_.-]*"
)

# Name; triggers, in lower case, one of which must occur for the pattern to be tried; pattern, whose
# group 1, where there is one, is kept in front of the marker.
RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("private key-----",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.|\n)*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("github-token", ("gh", "github_pat"), r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,})"),
    ("anthropic-key", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("aws-access-key", ("akia", "asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("google-api-key", ("aiza",), r"\bAIza[A-Za-z0-9_-]{35}"),
    ("gitlab-token", ("glpat-",), r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("slack-token", ("xox", "xapp-"), r"\b(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,}"),
    ("stripe-key", ("_live_", "_test_"), r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("npm-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", ("pypi-",), r"\bpypi-[A-Za-z0-9_-]{50,}"),
    (
        "jwt",
        ("eyj",),
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    ),
    (
        "authorization",
        ("bearer ", "basic "),
        r"(?i)((?:authorization\s*[:=]\s*['\"]?)?\b(?:bearer|basic)\s+)(?!\[redacted)[A-Za-z0-9._~+/-]{12,}=*",
    ),
    ("url-credentials", ("://",), r"(\b[a-z][a-z0-9+.-]*://)[^\s/:@'\"]*:[^\s/@'\"]+(?=@)"),
    (
        "option",
        ("--",),
        rf"(?i)(--{_SECRET_NAME}(?:=|\s+)['\"]?)(?!\[redacted|-|['\"$<])[^\s'\"]{{4,}}",
    ),
    (
        "assignment",
        ("key", "secret", "token", "passw", "credential"),
        rf"(?i)((?<![\w-]){_SECRET_NAME}['\"]?\s*[:=]\s*['\"]?)"
        r"(?!\[redacted|[$<({\[]|(?:true|false|null|none|undefined|\d+)\b)[^\s'\",;)}\]]{6,}",
    ),
)

_compiled: dict[str, re.Pattern[str]] = {}


def redact(text: str) -> tuple[str, int]:
    """`text` with every secret replaced by a typed marker, and how many there were."""
    lowered = text.lower()
    hits = 0
    for name, triggers, expression in RULES:
        if any(trigger in lowered for trigger in triggers):
            pattern = _compiled.get(name) or re.compile(expression)
            _compiled[name] = pattern
            keep = r"\1" if pattern.groups else ""
            text, count = pattern.subn(f"{keep}[redacted:{name}]", text)
            hits += count
    return text, hits


def redacted(text: str) -> str:
    """`text` with every secret replaced by a typed marker."""
    return redact(text)[0]
