"""The end of what the tests of the service share."""

import pytest

from tests.service.serving import shared_server


@pytest.fixture(scope="session", autouse=True)
def _stop_shared_server():
    yield
    if shared_server.cache_info().currsize:
        shared_server().stop()
