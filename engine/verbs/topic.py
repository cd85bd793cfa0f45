"""Tell this branch's topics, or choose the one that later sessions work on."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from .. import git, layout, ledger, topics
from ..errors import HandoffError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project import Project

TOPICS = f"{layout.STATE_FOLDER}/topics.json"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    acts = parser.add_subparsers(dest="act", metavar="ACT")
    use = acts.add_parser("use", help="later sessions on this branch, in this work tree, file here")
    use.add_argument("name", help="any name, up to 80 characters; `default` is the first one")


def run(project: Project, options: Namespace) -> int:
    at = git.repository(project.root)
    branch = git.branch(at.top)
    if options.act == "use":
        use(project, branch, topics.checked(options.name))
        return 0
    shown = {"branch": branch, "topic": current(project), "active": _active(at, branch)}
    print(json.dumps(shown, indent=2) if options.json else "\n".join(_lines(shown)))
    return 0


def current(project: Project, wanted: str | None = None) -> str:
    """The topic wanted, or the one that this branch is on in this work tree."""
    if wanted is not None:
        return topics.checked(wanted)
    if project.read(TOPICS) is None:
        return topics.DEFAULT
    branch = git.branch(project.root)
    return topics.parse(TOPICS, project.json(TOPICS)).get(branch or "", topics.DEFAULT)


def of_new_session(project: Project) -> str:
    """The topic that a new session files under; what is wrong with our own file stops no hook."""
    try:
        return current(project)
    except HandoffError as error:
        layout.log(project.root, f"the new session is on the topic `{topics.DEFAULT}`: {error}")
        return topics.DEFAULT


def use(project: Project, branch: str | None, name: str) -> None:
    """Let later sessions on the branch file under the topic `name`."""
    if branch is None:
        raise HandoffError("HEAD is detached: a topic belongs to a branch", hint="git switch -c …")
    with project.exclusive():
        there = project.read(TOPICS) is not None
        chosen = topics.parse(TOPICS, project.json(TOPICS)) if there else {}
        if chosen.get(branch, topics.DEFAULT) == name:
            print(f"`{branch}` is on the topic `{name}` already", file=sys.stderr)
            return
        layout.hide(project.root)
        new = topics.value({**chosen, branch: name})
        project.write(TOPICS, json.dumps(new, indent=1).encode() + b"\n")
    print(f"new sessions on `{branch}` file under `{name}`", file=sys.stderr)


def _active(at: git.Place, branch: str | None) -> list[dict[str, Any]]:
    """The active packets of this branch, one a topic."""
    where = ledger.path(at.common_dir)
    here = ledger.ref(branch, git.head(at.top), topics.DEFAULT).split("/")[3]
    found = []
    for filed in ledger.branches(where):
        tip = ledger.tip(where, filed.ref) if filed.branch == here else None
        if tip is not None:
            value = json.loads(tip.payload)
            one = {"topic": value["task"]["topic"], "session": value["session"]["id"]}
            one.update(runtime=value["session"]["runtime"], next_action=value["next_action"])
            found.append(one)
    return found


def _lines(shown: dict[str, Any]) -> list[str]:
    lines = [f"topic of `{shown['branch'] or 'detached HEAD'}`: {shown['topic']}"]
    lines += [f"  {one['topic']}: {one['next_action']}" for one in shown["active"]]
    return lines if shown["active"] else [*lines, "  no active packet on this branch"]
