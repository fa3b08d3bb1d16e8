"""The OpenAPI document: usable by generators, and kept by the service whatever is sent (schemathesis)."""

import json
import re

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.service.serving import service
from tests.service.test_endpoints import ITEMS
from winnerstays.arena import Settings
from winnerstays.service import openapi
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.keys import ApiKeys

DOCUMENT = openapi.document(ENDPOINTS)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    ignored_auth,
]
schema = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.fixture(scope="module")
def locked():
    with service() as client:
        client.key = ApiKeys.of(client.arenas).create(["admin"])[0]
        client.arenas.create("lunch", ITEMS).ask("ada")
        client.arenas.create("all", ITEMS, audience="everyone")
        yield client
        assert client.arenas.replay().equal


@schema.parametrize()
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_service_keeps_its_promises(case, locked):
    case.call_and_validate(
        base_url=str(locked.base_url), headers={"Authorization": f"Bearer {locked.key}"}, checks=CHECKS
    )


def test_document_is_served(locked):
    assert locked.get("/openapi.json").json() == DOCUMENT


def test_names_are_fit_for_a_generator():
    operations = [operation for path in DOCUMENT["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names)) == len(ENDPOINTS)
    assert all(name.isidentifier() for name in names)
    assert all(operation["summary"] and operation["responses"] for operation in operations)


def test_references_lead_somewhere():
    text = json.dumps(DOCUMENT)
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert named and named <= DOCUMENT["components"]["schemas"].keys()


def test_defaults_are_those_of_the_library():
    """What is left out in a new arena is as documented."""
    documented = {
        name: field["default"]
        for name, field in DOCUMENT["components"]["schemas"]["Settings-Input"]["properties"].items()
        if field.get("default") is not None
    }
    made = Settings(name="lunch", items=("ramen", "tacos")).model_dump(mode="json")
    assert "seed" not in documented and len(documented) >= 9
    assert documented == {name: made[name] for name in documented}


def test_every_error_is_a_problem_document():
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    assert list(response["content"]) == ["application/problem+json"], operation["operationId"]
