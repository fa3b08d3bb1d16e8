"""HTTP/1.1 with limits: what a stranger sends is counted before it is parsed, and refused before it is kept.

uvicorn's parser (httptools) has no limits of its own: it collects a header, a URL or a list of headers of any size.
Here the bytes of a request's head are counted as they arrive, in pieces of at most a few hundred kilobytes; a head that
does not end within its limit is not parsed any further.
"""

import asyncio
from typing import Any

import httptools
from pydantic_core import to_json
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from winnerstays.service import errors
from winnerstays.service.limits import Connections, Limits, network, refusals

NEVER = float("inf")
_END_OF_HEAD = b"\r\n\r\n"


class _RefusedError(Exception):
    """Ends the parsing of what has been refused."""


class LimitedProtocol(HttpToolsProtocol):
    """A connection whose requests are limited in size, number and time."""

    def __init__(self, *options: Any, limits: Limits, **more: Any) -> None:
        super().__init__(*options, **more)
        self.limits = limits
        self.deadline = NEVER
        self._address = ""
        self._refused = False
        self._in_head = True
        self._bytes = 0
        """Received of the head, or of the body, so far."""
        self._tail = b""
        """The end of what was received of the head: its end may come in two pieces."""
        self._line_ended = False

    @property
    def _counted(self) -> Connections:
        state: Any = self.server_state
        if not hasattr(state, "counted"):
            state.counted = Connections(self.limits, self.loop)
        counted: Connections = state.counted
        return counted

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = network(self.client[0]) if self.client else ""
        self.deadline = self.loop.time() + self.limits.head_seconds
        if too_many := self._counted.add(self, self._address):
            self._refuse("connections", too_many)

    def connection_lost(self, exc: Exception | None) -> None:
        self._counted.remove(self, self._address)
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._unset_keepalive_if_required()
        if self._in_head:
            self._begin_head()
            if not self._head_fits(data):
                return
        else:
            self._bytes += len(data)
            if self._bytes > self.limits.raw_body_bytes:
                self._refuse("too-large", f"The body must not have more than {self.limits.body_bytes} bytes.")
                return
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # it is answered as if it had not asked to upgrade
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, MemoryError):
                self._refuse("busy", "The service has no memory for this request now; try again.")
            elif not self._refused:
                self._refuse("bad-request", "This is no HTTP request.")

    def _head_fits(self, data: bytes) -> bool:
        """Count what was received of the head; refuse it if the head cannot end within its limit any more."""
        room = self.limits.head_bytes - self._bytes
        self._bytes += len(data)
        if len(data) > room:
            seen = self._tail + data[: max(0, room)]
            if _END_OF_HEAD not in seen:
                self._refuse_head(seen)
                return False
        else:
            self._tail = (self._tail + data[-3:])[-3:]
        self._line_ended = self._line_ended or b"\n" in data
        return True

    def _refuse_head(self, seen: bytes) -> None:
        if self._line_ended or b"\n" in seen:
            self._refuse("head-too-large", f"The headers must not have more than {self.limits.head_bytes} bytes.")
        else:
            self._refuse("url-too-long", f"The URL must not have more than {self.limits.url_bytes} bytes.")

    def on_message_begin(self) -> None:
        self._stop_if_refused()
        self._begin_head()
        super().on_message_begin()

    def _begin_head(self) -> None:
        if self.deadline == NEVER:
            self.deadline = self.loop.time() + self.limits.head_seconds

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > self.limits.url_bytes:
            self._refuse("url-too-long", f"The URL must not have more than {self.limits.url_bytes} bytes.")
            self._stop_if_refused()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # a trailer after a chunked body: whoever checked the headers has not seen it
        if len(self.headers) >= self.limits.headers:
            self._refuse("head-too-large", f"A request must not have more than {self.limits.headers} headers.")
        elif name.lower() == b"host" and any(known == b"host" for known, _ in self.headers):
            self._refuse("bad-request", "A request must not have more than one Host header.")
        self._stop_if_refused()
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._bytes = False, 0
        self.deadline = self.loop.time() + self.limits.body_seconds
        if len(self.pipeline) >= self.limits.pipelined:
            said = f"More than {self.limits.pipelined} requests were sent without waiting for a response."
            self._refuse("bad-request", said)
            self._stop_if_refused()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._bytes, self._tail, self._line_ended = True, 0, b"", False
        self.deadline = NEVER
        super().on_message_complete()

    def pause_writing(self) -> None:
        self.deadline = self.loop.time() + self.limits.read_seconds
        super().pause_writing()

    def resume_writing(self) -> None:
        self.deadline = NEVER
        super().resume_writing()

    def expire(self) -> None:
        """End a connection on which a request, or the reading of a response, takes too long."""
        self.deadline = NEVER
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            refusals.refuse(
                "unread", self._address, f"A response was not read for {self.limits.read_seconds:g} seconds."
            )
            self.transport.abort()
        elif self._in_head:
            self._refuse("timeout", f"The headers did not end within {self.limits.head_seconds:g} seconds.")
        else:
            self._refuse("timeout", f"The body did not end within {self.limits.body_seconds:g} seconds.")

    def _refuse(self, code: str, detail: str) -> None:
        """Say what was wrong and close the connection; after the responses to earlier requests, without a word."""
        self._refused = True
        self.deadline = NEVER
        refusals.refuse(code, self._address, detail)
        newest = self.cycle
        if newest is not None and not (newest.response_complete or newest.more_body):
            newest.keep_alive = False  # its response is the last one
        elif self.pipeline:
            self.pipeline.popleft()  # the body of this one ends here
        elif newest is not None and newest.response_started and not newest.response_complete:
            self.transport.close()
        else:
            status, content = errors.STATUSES[code], to_json(errors.document(code, detail))
            self.transport.write(
                STATUS_LINE[status] + b"content-type: " + errors.MEDIA_TYPE.encode() + b"\r\ncontent-length: "
                + str(len(content)).encode() + b"\r\nconnection: close\r\n\r\n" + content
            )  # fmt: skip
            self.transport.close()

    def _stop_if_refused(self) -> None:
        if self._refused:
            raise _RefusedError
