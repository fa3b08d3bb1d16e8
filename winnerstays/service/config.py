"""What a running service is told; worker processes get it through one environment variable."""

import json
import os
from dataclasses import asdict, dataclass

VARIABLE = "WINNERSTAYS_SERVICE"
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Config:
    """`loopback`: the service listens on this machine only, and does without keys as long as there never was one."""

    database: str
    loopback: bool = True
    workers: int = 1
    most_bytes: int = 1_000_000
    """The largest request body."""
    cors: tuple[str, ...] = ()
    """Origins whose web pages may call the service."""
    parent: int = 0
    """The process without which a worker ends."""

    def to_environment(self) -> None:
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> "Config":
        values = json.loads(os.environ[VARIABLE])
        return cls(**{**values, "cors": tuple(values["cors"])})
