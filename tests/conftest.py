"""What all tests share: a store and records of their own, so that no test reads or fills the user's."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

# Tests interrupt commands; a shell that runs the suite in the background has Ctrl-C ignored, and so would they.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DICEWISE_CACHE_DIR", str(tmp_path_factory.mktemp("store")))
        patch.setenv("DICEWISE_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        patch.delenv("DICEWISE_CACHE_LIMIT", raising=False)
        yield
