"""How a command of Gemini CLI ended: it tells that in text alone, around what the command printed.

The text is `Output: …`, then, where they have something to say, the lines `Error:`, `Exit Code:`,
`Signal:`, `Background PIDs:` and `Process Group PGID:`; an exit code of 0 is not said. What the
command printed is known beside it, as text or as cells, as long as it is short: then what follows
it is Gemini's own. Where the output was shortened the last lines count, and 0 is believed where
Gemini's last line is among them: a command that passed and printed `Exit Code: 5` last reads as
failed; one that failed never reads as passed. Older versions begin with the command and say every
exit code.
"""

from __future__ import annotations

import re

INTERRUPTED, REFUSED = "interrupted", "not allowed to run"

_CANCELLED = "Command was cancelled by user"  # and, on lines of their own, what it had printed
_OPENING, _CLOSING = "<untrusted_context>\n", "\n</untrusted_context>"
_OUTPUT, _NOTHING = "Output: ", "(empty)"
_NOT_STARTED = f"{_NOTHING}\nError: "  # which may have several lines
_OWN = re.compile(
    r"(?:\nError: (?P<error>[^\n]*))?(?:\nExit Code: (?P<code>-?[0-9]{1,10}))?"
    r"(?:\nSignal: (?P<signal>[^\n]*))?(?:\nBackground PIDs: [^\n]*)?"
    r"(?P<last>\nProcess Group PGID: [^\n]*)?\Z"
)
_OLDER = re.compile(
    r"(?:\nError: [^\n]*)?\nExit Code: (?P<code>-?[0-9]{1,10}|\(none\))"
    r"(?:\nSignal: (?P<signal>[^\n]*))?(?:\nBackground PIDs: [^\n]*)?"
    r"(?:\nProcess Group PGID: [^\n]*)?\Z"
)
_NONE = "(none)"


def outcome(told: str, shown: object, command: str) -> tuple[int | None, str, str | None]:
    """Exit code, output and error of a command, from the text for the model and the one shown."""
    head = f"Command: {command}\n"
    if told.startswith(head):
        return _older(told[len(head) :])
    # The last closing is Gemini's own; a command may print others.
    text = told.rpartition(_CLOSING)[0] if told.startswith(_OPENING) else ""
    text = text[len(_OPENING) :]
    if text.startswith(_CANCELLED):
        return None, text.partition("\n")[2], INTERRUPTED
    if not text.startswith(_OUTPUT):
        return None, told, "no outcome told"
    body = text[len(_OUTPUT) :]
    output = shown if isinstance(shown, str) else drawn(shown)
    if output is not None and not body.startswith(output or _NOTHING):
        output = output.rstrip("\n")
    if output is not None and body.startswith(output or _NOTHING):
        own = _OWN.match(body, len(output or _NOTHING))
    else:
        own = _OWN.search(body)
        output = body[: own.start()] if own else body
        if own and not own["code"] and (not own["last"] or body.startswith(_NOT_STARTED)):
            own = None
    if own is None:
        return None, output, "no outcome told"
    if own["signal"] or own["error"]:
        return None, output, own["error"] or f"ended by signal {own['signal']}"
    return int(own["code"] or 0), output, None


def _older(text: str) -> tuple[int | None, str, str | None]:
    own = _OLDER.search(text)
    if own is None:
        return None, text, "no outcome told"
    output = text[: own.start()].partition(_OUTPUT)[2]
    if own["signal"] not in (None, _NONE):
        return None, output, f"ended by signal {own['signal']}"
    known = own["code"] != _NONE
    return (int(own["code"]), output, None) if known else (None, output, "no outcome told")


def drawn(shown: object) -> str | None:
    """The text of what an interactive Gemini shows: lines of cells."""
    if not isinstance(shown, list):
        return None
    lines = (line if isinstance(line, list) else () for line in shown)
    texts = (
        "".join(str(one.get("text")) for one in line if isinstance(one, dict)) for line in lines
    )
    return "\n".join(text.rstrip() for text in texts).rstrip("\n")
