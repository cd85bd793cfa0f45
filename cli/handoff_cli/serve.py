"""The page on the loopback interface, for as long as somebody watches.

Nobody else reads it: the address holds a secret, and a name that was made to point here is refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from handoff_cli import page
from handoff_cli.errors import HandoffError
from handoff_cli.pages import timeline

LOOPBACK = "127.0.0.1"
PAUSE_SECONDS = 1.5  # at least, between two looks at the source
RESTS = 4  # times as long as a look took


class Live:
    """The newest page of a source that is asked while somebody watches, and never at once twice."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._version = ""
        self._value: Any = None
        self._page: tuple[str, bytes] = ("", b"")
        self.version()

    def version(self) -> str:
        """Changes with the timeline. Raises: HandoffError where the source fails."""
        with self._lock:
            if time.monotonic() >= self._not_before:
                self._look()
            return self._version

    def page(self) -> bytes:
        version = self.version()
        with self._lock:
            if self._page[0] != version:
                text = page.html(timeline.parse(self._value), version=self._version)
                self._page = self._version, text.encode()
            return self._page[1]

    def _look(self) -> None:
        began = time.monotonic()
        try:
            value = self._ask()
        finally:
            took = time.monotonic() - began
            self._not_before = time.monotonic() + max(PAUSE_SECONDS, RESTS * took)
        text = json.dumps(value, sort_keys=True).encode()
        self._value, self._version = value, hashlib.sha256(text).hexdigest()


def serve(ask: Callable[[], Any], announce: Callable[[str], None]) -> None:
    """Serve until interrupted, on a free port; `announce` is given the address."""
    live = Live(ask)
    secret = secrets.token_urlsafe(16)
    with ThreadingHTTPServer((LOOPBACK, 0), _handler(live, f"/{secret}/")) as server:
        announce(f"http://{LOOPBACK}:{server.server_port}/{secret}/")
        server.serve_forever(poll_interval=0.2)


def _handler(live: Live, root: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server: ThreadingHTTPServer
        timeout = 20  # seconds, for a request to arrive

        def do_GET(self) -> None:
            port = self.server.server_port
            if self.headers.get("Host") not in (f"{LOOPBACK}:{port}", f"localhost:{port}"):
                return self._say(HTTPStatus.FORBIDDEN, "another host was asked for")
            try:
                if secrets.compare_digest(self.path.encode(), root.encode()):
                    return self._say(HTTPStatus.OK, live.page(), "text/html")
                if secrets.compare_digest(self.path.encode(), f"{root}version".encode()):
                    return self._say(HTTPStatus.OK, live.version())
            except HandoffError as error:
                return self._say(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
            return self._say(HTTPStatus.NOT_FOUND, "there is nothing here")

        def _say(self, status: HTTPStatus, text: str | bytes, kind: str = "text/plain") -> None:
            body = text.encode(errors="replace") if isinstance(text, str) else text
            self.send_response(status)
            for name, value in {
                "Content-Type": f"{kind}; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Security-Policy": f"{page.policy(live=True)}; frame-ancestors 'none'",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store",
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler
