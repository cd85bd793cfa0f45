"""A repository may bring links where we keep files of our own: nothing is written through them."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_cli import state
from handoff_cli.errors import HandoffError
from tests.repository import Repository


@pytest.fixture
def victim(project: Repository) -> Path:
    path = project.path.parent / "victim"
    path.write_text("precious\n")
    return path


@pytest.mark.parametrize("name", ["chat.lock", ".gitignore"])
def test_a_chat_writes_through_no_link(project: Repository, victim: Path, name: str) -> None:
    link = project.path / ".handoff" / "state" / name
    link.unlink(missing_ok=True)
    link.symlink_to(victim)
    done = project.handoff("chat", "--json", "--agent", "gemini")
    assert done.returncode == 1
    assert "is a link to" in done.stderr
    assert victim.read_text() == "precious\n"


@pytest.mark.parametrize("name", ["installed.json", "backups"])
def test_installing_hooks_writes_through_no_link(
    project: Repository, victim: Path, name: str
) -> None:
    link = project.path / ".handoff" / "state" / name
    link.unlink(missing_ok=True)
    link.symlink_to(victim if name == "installed.json" else victim.parent)
    project.write(".gemini/settings.json", '{"model": "mine"}\n')
    done = project.handoff("hooks", "install", "--runtime", "gemini")
    assert done.returncode == 1
    assert "is a link to" in done.stderr
    assert victim.read_text() == "precious\n"
    assert not list(victim.parent.glob("*settings.json"))


def test_a_state_folder_elsewhere_is_none(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "app" / ".handoff").mkdir(parents=True)
    (tmp_path / "app" / ".handoff" / "state").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HandoffError, match="is a link to"):
        state.file(tmp_path / "app", "chat.lock")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_folder_is_made_and_hidden(tmp_path: Path) -> None:
    path = state.file(tmp_path, "chat.lock")
    assert path == tmp_path / ".handoff" / "state" / "chat.lock"
    assert (path.parent / ".gitignore").read_bytes() == b"*\n"
    assert not path.exists()
