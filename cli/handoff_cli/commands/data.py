"""`--data KEY=VALUE`: answers to the template's questions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from handoff_cli.errors import HandoffError

Data = Annotated[
    list[str] | None,
    typer.Option("--data", "-d", metavar="KEY=VALUE", help="Answer one question; may be repeated."),
]


def answers_given(pairs: list[str]) -> dict[str, Any]:
    """`KEY=VALUE` pairs as answers; values are read as YAML where they look like more than text."""
    import yaml

    answers: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise HandoffError(f"`--data {pair}` is no KEY=VALUE", "write `--data tail_length=20`")
        try:
            value = yaml.safe_load(text) if text[:1] in "[{" or text.isdigit() else text
        except yaml.YAMLError as error:
            raise HandoffError(
                f"`--data {pair}` is no valid YAML", "quote the value for the shell"
            ) from error
        answers[key.strip()] = value if text not in ("true", "false") else text == "true"
    return answers
