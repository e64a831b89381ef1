"""Debian's chromium without a window, spoken to through a pipe: what a page does when it is opened and printed.

Messages of the DevTools protocol are JSON, each ended by a zero byte; commands go to the browser's file descriptor 3,
answers and events come from 4. So no port is opened and no other package is needed.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no chromium here: install it with 'apt-get install chromium', or run `make test` as root"
PATIENCE = 90.0
"""Seconds after which a browser that says nothing is given up."""


def find_chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Chromium:
    """A browser that is offline and has one page."""

    def __init__(self, program: str, folder: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        # the shell gives the two pipes the numbers that the browser expects
        line = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        options = ["--headless", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        options += ["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # chromium refuses to run as root with it
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", line, program, *options, "about:blank"],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        pages = [each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        self._session = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        nothing = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.ask("Network.emulateNetworkConditions", offline=True, **nothing)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command, wait for its answer; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == self._number:
                assert "error" not in heard, f"{method}: {heard['error']}"
                return dict(heard["result"])
            self.events.append(heard)

    def _hear(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser says nothing"
            more = os.read(self._from, 1 << 20)
            assert more, "the browser is gone"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def open(self, path: Path) -> None:
        """Open a file, and wait until all of it is there."""
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._hear())

    def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and what was asked of the network."""
        said = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append(str(params["entry"]["text"]))
            elif method == "Runtime.exceptionThrown":
                said.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled":
                said.append(f"console.{params['type']}")
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                said.append(f"asks for {params['request']['url']}")
        return said
