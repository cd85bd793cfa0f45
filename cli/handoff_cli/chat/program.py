"""An agent's program as it runs: it ends with us, with all that it started, whatever ends us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from handoff_cli.chat import keeper

END_SECONDS = 2
MAX_LINE_BYTES = 64_000_000


class Program:
    """Its standard input and output, while it runs."""

    def __init__(self, process: asyncio.subprocess.Process, held: int) -> None:
        assert process.stdin
        assert process.stdout
        self.writer, self.reader = process.stdin, process.stdout
        self._process, self._held = process, held

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    async def wait(self) -> int:
        return await self._process.wait()

    async def end(self) -> None:
        """Hang up, and end what does not end by that."""
        with contextlib.suppress(OSError, RuntimeError):
            self.writer.close()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.wait(), END_SECONDS)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1
        await self.wait()


async def start(command: tuple[str, ...], environment: Mapping[str, str], folder: str) -> Program:
    """Raises: FileNotFoundError where there is no such program."""
    found = shutil.which(command[0], path=environment.get("PATH"))
    if found is None:
        raise FileNotFoundError(command[0])
    read, held = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-ISB", keeper.__file__, str(read), found, *command[1:]),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            pass_fds=[read],
            env=environment,
            cwd=Path(folder),
            limit=MAX_LINE_BYTES,
        )
    except OSError:
        os.close(held)
        raise
    finally:
        os.close(read)
    return Program(process, held)
