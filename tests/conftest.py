"""What holds for all tests: a cache of their own, so that none sees what another run kept."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """For this process and those that it starts."""
    patch = pytest.MonkeyPatch()
    patch.setenv("OMNILINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
