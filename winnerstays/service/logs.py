"""Log lines: as text for people, or as JSON for programs."""

import json
import logging
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, Literal

from uvicorn.config import LOGGING_CONFIG

Format = Literal["text", "json"]
FIELDS = ("request_id", "status", "code", "where")
"""What a line about a request says besides its message."""
_ACCESS = ("client", "method", "path", "http_version", "status")


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry: dict[str, Any] = {
            "time": time, "level": record.levelname.lower(), "logger": record.name, "process": record.process,
            "message": record.getMessage(),
        }  # fmt: skip
        entry |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.name == "uvicorn.access" and isinstance(record.args, tuple) and len(record.args) == len(_ACCESS):
            entry |= dict(zip(_ACCESS, record.args, strict=True))
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)


def config(format_: Format) -> dict[str, Any]:
    """Return the configuration of all loggers of a service."""
    settings: dict[str, Any] = deepcopy(LOGGING_CONFIG)
    settings["loggers"]["winnerstays"] = {"handlers": ["default"], "level": "INFO", "propagate": False}
    if format_ == "json":
        settings["formatters"] = {
            name: {"()": "winnerstays.service.logs.JsonFormatter"} for name in settings["formatters"]
        }  # fmt: skip
    return settings
