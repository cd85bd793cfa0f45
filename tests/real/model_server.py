"""A scripted model: speaks Anthropic messages, OpenAI responses and chat, and Gemini; plays steps.

`python model_server.py PORT_FILE LOG_DIR [SCRIPT_FILE] [PORT]` listens on 127.0.0.1 (any free
port by default), writes the port to PORT_FILE and saves every request body in LOG_DIR as
0001.json, 0002.json, … in order.

The newest user text with `STEPS=[…]` says what is played. Where prompts must stay clean,
SCRIPT_FILE holds `{PROMPT: […], …}` and the newest user text equal to one of the prompts does.
Either way the step is found by counting the model's turns since, so a request that is repeated
gets the same answer again. A relative path starts at this process's working directory.

    {"bash": CMD, "background": true, "timeout_ms": N, "yield_ms": N}   {"poll": MS}
    {"write": [PATH, TEXT]}   {"edit": [PATH, OLD_LINES, NEW_LINES]}   {"text": TEXT}
    {"plan": [[TITLE, "completed" | "in_progress" | "pending"], …]}
    {"calls": [[TOOL, ARGUMENTS], …]} (Codex: one)   {"code": JAVASCRIPT} (Codex, GPT-6 models)
    {"error": HTTP_STATUS}; and with any step {"sleep": SECONDS}, {"in": REPORTED_INPUT_TOKENS}
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

if not __package__:  # run as a file: give the imports below their package
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    __package__ = "tests.real"

from . import anthropic_messages, gemini_contents, openai_chat, openai_responses
from .script import JSON, Script


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, log_dir: Path, script: Script, port: int) -> None:
        # Ids are unique across runs too, as the real models' are.
        self.first_id = time.time_ns() // 1_000_000 * 1_000
        super().__init__(("127.0.0.1", port), Handler)
        self.log_dir = log_dir
        self.script = script
        self.lock = threading.Lock()
        self.requests = 0

    def save(self, body: JSON) -> int:
        """The number of this request."""
        with self.lock:
            self.requests += 1
            path = self.log_dir / f"{self.requests:04d}.json"
            path.write_text(json.dumps(body, indent=1), encoding="utf-8")
            return self.requests


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_json({})

    def do_GET(self) -> None:
        self.send_json({"models": [], "data": []}, 404 if self.headers.get("upgrade") else 200)

    def do_POST(self) -> None:
        body: JSON = json.loads(self.read_body() or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/v1/messages"):
            number = self.server.save(body)
            step = anthropic_messages.step(body, self.server.script)
            message = anthropic_messages.message(step, body, self.server.first_id + number)
            if not self.refused(step):
                if body.get("stream"):
                    self.send_events(anthropic_messages.events(message))
                else:
                    self.send_json(message)
        elif path.endswith("/v1/responses"):
            number = self.server.save(body)
            step = openai_responses.step(body, self.server.script)
            item = openai_responses.item(step, body, self.server.first_id + number)
            if not self.refused(step):
                self.send_events(openai_responses.events(item, step, number))
        elif path.endswith("/chat/completions"):
            number = self.server.save(body)
            step = openai_chat.step(body, self.server.script)
            if not self.refused(step):
                self.chat(step, body, self.server.first_id + number)
        elif "generatecontent" in path.lower():
            self.server.save(body)
            step = gemini_contents.step(body, self.server.script)
            if not self.refused(step):
                whole = gemini_contents.answer(step)
                if "stream" in path:
                    self.send_events(iter([whole]))
                else:
                    self.send_json(whole)
        else:
            self.send_json({"input_tokens": 1000, "totalTokens": 1000})

    def chat(self, step: JSON, body: JSON, number: int) -> None:
        message = openai_chat.message(step, body, number)
        if body.get("stream"):
            self.send_events(openai_chat.events(message, step, body, number), done=True)
        else:
            self.send_json(openai_chat.answer(message, step, body, number))

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def refused(self, step: JSON) -> bool:
        time.sleep(step.get("sleep", 0))
        if "error" in step:
            error = {"type": "invalid_request_error", "message": "scripted error"}
            self.send_json({"type": "error", "error": error}, step["error"])
        return "error" in step

    def send_json(self, value: JSON, status: int = 200) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def send_events(self, events: Iterator[JSON], done: bool = False) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if done:
            self.wfile.write(b"data: [DONE]\n\n")


def main(port_file: str, log_dir: str, script_file: str | None = None, port: str = "0") -> None:
    script = Script()
    if script_file is not None:
        script = Script(json.loads(Path(script_file).read_text(encoding="utf-8")))
    Path(log_dir).mkdir(parents=True, exist_ok=True)
    server = Server(Path(log_dir), script, int(port))
    unfinished = Path(f"{port_file}.unfinished")
    unfinished.write_text(str(server.server_address[1]), encoding="utf-8")
    unfinished.replace(port_file)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
