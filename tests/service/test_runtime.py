"""A service and its database."""

import asyncio

import pytest

from winnerstays.arena import Arenas, StoreError
from winnerstays.service import runtime
from winnerstays.service.config import Config
from winnerstays.service.runtime import Service


def test_a_database_that_could_just_be_opened_is_ready_at_once():
    """An attempt to write is remembered for a second; that there was no database yet is not."""

    async def look():
        service = Service(Config("memory:"))
        with pytest.raises(StoreError, match="could not be opened yet"):
            await service.check_ready()
        await service.start()
        await service.check_ready()
        await service.stop()

    asyncio.run(look())


def test_the_database_is_tried_once_in_a_while_however_many_ask(monkeypatch):
    tries = []

    async def look(seconds):
        monkeypatch.setattr(runtime, "READY_SECONDS", seconds)
        with Arenas.open("memory:") as arenas:
            monkeypatch.setattr(arenas.database, "ping", tries.append)
            service = Service(Config("memory:"), arenas)
            await service.start()
            for _ in range(3):
                await service.check_ready()
            await service.stop()

    asyncio.run(look(3600.0))
    assert len(tries) == 1
    asyncio.run(look(-1.0))
    assert len(tries) == 4
