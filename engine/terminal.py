"""A terminal for a command that runs where we have one, so that colours and progress work."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections.abc import Iterator

STDIN, STDERR = 0, 2
_POLL_SECONDS = 0.1


class Screen:
    """A pseudo-terminal: the command has `inner`, we have `outer`."""

    def __init__(self, outer: int, inner: int, ours: int, has_keys: bool, has_errors: bool) -> None:
        self.outer, self.inner, self.ours = outer, inner, ours
        self.has_keys = has_keys  # its input is the terminal, too
        self.has_errors = has_errors  # its errors go there, too
        self._open = {outer, inner}

    def close_inner(self) -> None:
        self._close(self.inner)

    def close(self) -> None:
        self._close(self.inner)
        self._close(self.outer)

    def _close(self, handle: int) -> None:
        if handle in self._open:
            self._open.remove(handle)
            os.close(handle)


def opened(out: int) -> Screen | None:
    """A screen of our terminal's size, or None where `out` is none or the system has no such."""
    if not os.isatty(out):
        return None
    try:
        import pty
    except ImportError:  # Windows
        return None
    outer, inner = pty.openpty()
    screen = Screen(outer, inner, out, _is_in_front(), os.isatty(STDERR))
    _resize(screen)
    return screen


def take() -> None:
    """Make the terminal at standard output this process's own: Ctrl-C in it comes here."""
    import fcntl
    import termios

    with contextlib.suppress(OSError):
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)


@contextlib.contextmanager
def keys(screen: Screen | None) -> Iterator[None]:
    """While the block runs, keys that are pressed and changes of size reach the command."""
    if screen is None:
        yield
        return
    with _resizing(screen):
        if not screen.has_keys:
            yield
            return
        import termios
        import tty

        before = termios.tcgetattr(STDIN)
        done = threading.Event()
        typing = threading.Thread(target=_type, args=(screen, done), daemon=True)
        try:
            tty.setraw(STDIN, termios.TCSANOW)  # what was typed ahead stays
            typing.start()
            yield
        finally:
            done.set()
            typing.join()
            termios.tcsetattr(STDIN, termios.TCSADRAIN, before)


def _type(screen: Screen, done: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while not done.is_set():
            if not select.select([STDIN], [], [], _POLL_SECONDS)[0]:
                continue
            data = os.read(STDIN, 1024)
            if not data:
                return
            os.write(screen.outer, data)


def _is_in_front() -> bool:
    """Whether keys come to us: our input is a terminal, and we are not in its background."""
    try:
        return os.isatty(STDIN) and os.tcgetpgrp(STDIN) == os.getpgrp()
    except OSError:
        return False


@contextlib.contextmanager
def _resizing(screen: Screen) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGWINCH, lambda *_: _resize(screen))
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)


def _resize(screen: Screen) -> None:
    """Give the screen the size of our terminal."""
    import fcntl
    import termios

    with contextlib.suppress(OSError):
        size = fcntl.ioctl(screen.ours, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(screen.outer, termios.TIOCSWINSZ, size)
