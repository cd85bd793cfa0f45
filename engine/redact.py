"""Secrets out of text: each is replaced by a typed marker, `[redacted:github-token]`.

First version: well-known shapes only. Patterns are compiled when their trigger occurs, since a
hook pays for every one of them.
"""

from __future__ import annotations

import re

# The end of a name that a secret has; what stands in front of it does not matter. Repetitions are
# bounded wherever a long text could make a pattern start again and again.
_SECRET_NAME = (
    r"(?:(?:api|private|access|secret)[_-]?key|secret|token|passw(?:or)?d|passwd|credentials?)"
)
_MORE_NAME = (
    r"(?:[_.-](?!(?:counts?|types?|names?|limits?|paths?|files?|ids?|len(?:gth)?|size|urls?|uri|ttl"
    r"|expir\w*|usage|window|budget|field|header|policy|ref)\b)[A-Za-z0-9_.-]{1,40})?"
)
# Values that are none: variables, types, calls, versions, numbers.
_NO_VALUE = (
    r"\[redacted|[$%<({\[]|[a-z_][\w.]*[(\[]|(?:self|this|os|process|settings|config|args|options"
    r"|request|req|ctx|env)\.|(?:true|false|null|none|undefined|string|secretstr|boolean|number"
    r"|unknown|required|optional|[~^<>=!v]*\d{1,7}|[~^<>=!v]*\d+(?:\.[\dx*]+)+[\w.+-]*)"
    r"(?![^\s'\",;)}\]])"
)

# Not in the middle of a word; `\b` would count `_` in.
_START = r"(?<![A-Za-z0-9])"

# Name; triggers, in lower case, one of which must occur for the pattern to be tried; pattern, whose
# group 1, where there is one, is kept in front of the marker.
RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("private key",),
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:.|\n)*?"
        r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    (
        "github-token",
        ("gh", "github_pat"),
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,})",
    ),
    ("anthropic-key", ("sk-ant-",), _START + r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", ("sk-",), _START + r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("aws-access-key", ("akia", "asia"), _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("google-api-key", ("aiza",), _START + r"AIza[A-Za-z0-9_-]{35,}"),
    ("gitlab-token", ("glpat-",), _START + r"glpat-[A-Za-z0-9_-]{20,}"),
    ("slack-token", ("xox", "xapp-"), _START + r"(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,}"),
    ("stripe-key", ("_live_", "_test_"), _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("npm-token", ("npm_",), _START + r"npm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", ("pypi-",), _START + r"pypi-[A-Za-z0-9_-]{50,}"),
    (
        "jwt",
        ("eyj",),
        _START + r"eyJ[A-Za-z0-9_-]{8,999}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    ),
    (
        "authorization",
        ("authorization", "bearer", "basic"),
        # Without the header's name it has to look like one: "basic functionality" is none.
        r"(?i)((?:authorization['\"]?[ \t]{0,9}[:=][ \t]{0,9}['\"]?(?:bearer|basic|token)[ \t]{1,9}"
        r"|\b(?:bearer|basic)[ \t]{1,9}(?=[\w.~+/-]{0,99}(?:\d|(?-i:[a-z][A-Z])))))"
        r"(?!\[redacted)[A-Za-z0-9._~+/-]{12,}=*",
    ),
    (
        "url-credentials",
        ("://",),
        r"(\b[a-z][a-z0-9+.-]{0,20}://)(?:(?!\[redacted)[^\s/:@'\"])*:"
        r"(?:(?!\[redacted)[^\s/@'\"])+(?=@)",
    ),
    (
        "option",
        ("--",),
        r"(?i)((?<!-)--[A-Za-z0-9_.-]{0,40}?" + _SECRET_NAME + r"(?:=|[ \t]{1,9})['\"]?)"
        r"(?!\[redacted|-|['\"$<]|\d{1,6}\b|(?-i:[A-Z_]+)\b)"
        r"(?:(?<=['\"])[^\s'\"][^'\"\n]{3,}|[^\s'\"]{4,})",
    ),
    (
        "assignment",
        ("key", "secret", "token", "passw", "credential"),
        rf"(?i)({_SECRET_NAME}{_MORE_NAME}"
        r"['\"]?[ \t]{0,20}[:=][ \t]{0,20}['\"]?)"
        rf"(?!{_NO_VALUE})"
        r"(?:(?<=['\"])[^\s'\"][^'\"\n]{5,}|[^\s'\",;)}\]]{6,})",
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
