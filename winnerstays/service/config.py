"""The configuration of a running service; worker processes get it through one environment variable."""

import json
import os
import re
from dataclasses import asdict, dataclass

from winnerstays.errors import WinnerstaysError
from winnerstays.service.limits import Limits

VARIABLE = "WINNERSTAYS_SERVICE"
_ORIGIN = re.compile(r"https?://[^\s/;,'\"?#@]+")
_FOLDER = re.compile(_ORIGIN.pattern + r"(/[^\s;,'\"?#]*)?")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Config:
    """Everything a worker process must know before it serves."""

    database: str
    secrets: str | None = None
    """The file of the key ring; without one its secret ends with the process."""
    loopback: bool = True
    """The service listens on this machine only, and does without keys as long as there never was one."""
    workers: int = 1
    max_body: int = 1_000_000
    """Bytes of the largest request body."""
    cors: tuple[str, ...] = ()
    """Origins whose web pages may call the service."""
    pictures: tuple[str, ...] = ()
    """Origins from which pages may load the pictures of items, besides the service itself."""
    supervisor: int = 0
    """The id of the process without which a worker ends."""
    key_seconds: float = 1.0
    """Seconds after which the API keys are read again: the longest a revoked key still works."""
    ready_seconds: float = 2.0
    """Seconds within which the database must answer for the service to be ready."""
    read_seconds: float = 10.0
    """Seconds that a standing, a bias or a part of the log may take."""
    max_connections: int = 4096
    """Open connections of each worker."""
    max_connections_of_address: int = 512
    visitor_rate: float | None = 10.0
    """Works per second of one visitor; None if not limited."""
    upgrade: bool = False
    """Upgrade the tables of an older version, also if the database can be reached only later."""
    rates_file: str | None = None
    """The table of operations that several workers share; None for one worker."""

    def __post_init__(self) -> None:
        """Refuse what no browser would ever match."""
        for option, origins, allowed in (("cors", self.cors, _ORIGIN), ("pictures", self.pictures, _FOLDER)):
            for origin in origins:
                if not allowed.fullmatch(origin) and (option, origin) != ("cors", "*"):
                    raise WinnerstaysError(
                        f"--{option} is {origin!r}, but must be an origin: a scheme and a host, as https://shop.example."
                    )

    @property
    def limits(self) -> Limits:
        """What strangers may send."""
        return Limits(
            body_bytes=self.max_body,
            connections=self.max_connections,
            connections_of_address=self.max_connections_of_address,
        )

    def to_environment(self) -> None:
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> "Config":
        values = json.loads(os.environ[VARIABLE])
        return cls(**{**values, "cors": tuple(values["cors"]), "pictures": tuple(values["pictures"])})
