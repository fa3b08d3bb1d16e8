"""The OpenAPI 3.1 document, built from the table of endpoints and the JSON schemas of their models."""

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import TypeAdapter

from winnerstays.service.errors import MEDIA_TYPE, Problem
from winnerstays.service.routing import Endpoint

VERSION = "1"
_PATH_PARAMETERS = {
    "name": "The arena's name.", "duel": "The duel's id.", "user": "The user's name.", "item": "The item's id.",
}  # fmt: skip
_PROBLEMS = {
    400: "The body is not JSON.",
    401: "A key is needed, or the key is not valid.",
    403: "The key lacks the scope, or the duel was served to another user.",
    404: "There is no such thing.",
    409: "It contradicts what is there.",
    410: "The duel had expired.",
    413: "The body is too large.",
    415: "The body must be application/json.",
    422: "The request cannot be understood.",
    429: "The key is used too often.",
    503: "The database cannot be used now; nothing that was acknowledged is lost.",
}
_KEY_PROBLEMS = (401, 403, 429, 503)
_BODY_PROBLEMS = (400, 413, 415, 422)
_PARAMETER_PROBLEMS = (422,)

Mode = Literal["validation", "serialization"]
Schemas = Mapping[tuple[Any, Mode], dict[str, Any]]


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    endpoints = list(endpoints)
    types = {found: TypeAdapter(found[0]) for endpoint in endpoints for found in _types(endpoint)}
    schemas, definitions = TypeAdapter.json_schemas(
        [(type_, mode, adapter) for (type_, mode), adapter in types.items()],
        ref_template="#/components/schemas/{model}",
    )
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path_format, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "winnerstays", "description": "Show two. Learn the favourite.", "version": VERSION},
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"HTTPBearer": {"type": "http", "scheme": "bearer", "description": "An API key."}},
        },
    }


def _types(endpoint: Endpoint) -> Iterable[tuple[Any, Mode]]:
    """Yield what the endpoint reads and writes as JSON."""
    if endpoint.body:
        yield endpoint.body, "validation"
    yield from ((success.type, "serialization") for success in endpoint.successes.values())
    yield from ((problem, "serialization") for problem in _problems(endpoint).values())


def _operation(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.handler.__name__,
        "summary": inspect.getdoc(endpoint.handler),
        "description": f"Scope: {endpoint.scope}." if endpoint.scope else "Open to all.",
        "responses": _responses(endpoint, schemas),
    }
    if endpoint.scope:
        operation["security"] = [{"HTTPBearer": [endpoint.scope]}]
    if parameters := [*_path_parameters(endpoint), *_query_parameters(endpoint)]:
        operation["parameters"] = parameters
    if endpoint.body:
        content = {"application/json": {"schema": schemas[endpoint.body, "validation"]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _path_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", endpoint.path_format):
        described = _PATH_PARAMETERS[name]
        yield {"name": name, "in": "path", "required": True, "description": described, "schema": {"type": "string"}}


def _query_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    if endpoint.query:
        schema = endpoint.query.model_json_schema()
        required = schema.get("required", ())
        for name, field in schema["properties"].items():
            described = field.pop("description")
            yield {"name": name, "in": "query", "required": name in required, "description": described, "schema": field}


def _responses(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, success in sorted(endpoint.successes.items()):
        responses[str(status)] = {
            "description": success.description,
            "content": {success.media_type: {"schema": schemas[success.type, "serialization"]}},
        }
        if success.headers:
            responses[str(status)]["headers"] = {name: {"schema": {"type": "string"}} for name in success.headers}
    for status, problem in sorted(_problems(endpoint).items()):
        content = {MEDIA_TYPE: {"schema": schemas[problem, "serialization"]}}
        responses[str(status)] = {"description": _PROBLEMS[status], "content": content}
    return responses


def _problems(endpoint: Endpoint) -> dict[int, type[Problem]]:
    """Return the type of the problem document of each status that the endpoint may answer with."""
    common = [
        *(_KEY_PROBLEMS if endpoint.scope else ()),
        *(_BODY_PROBLEMS if endpoint.body else ()),
        *(_PARAMETER_PROBLEMS if endpoint.query or "{" in endpoint.path else ()),
    ]
    return {**dict.fromkeys(common, Problem), **endpoint.problems}
