"""The committed schema is the one that is served, and its page asks no other host."""

import re
from pathlib import Path

import yaml
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from config.api_urls import urlpatterns

FOR_EVERYBODY = {"/api/v1/score/", "/api/v1/judge/"}
COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.yaml"


def test_the_committed_schema_is_current() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    made = OpenApiYamlRenderer().render(schema, renderer_context={}).decode()
    assert made == COMMITTED.read_text(), (
        "review the change, then: python manage.py spectacular --file docs/openapi.yaml"
    )


def test_every_route_is_in_it_with_its_problems() -> None:
    schema = yaml.safe_load(COMMITTED.read_text())
    assert schema["openapi"].startswith("3.1")
    assert len(schema["paths"]) == len(urlpatterns)
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (path, method)
            assert {"401", "429"} <= set(operation["responses"]), (path, method)
            other: dict[str, list[str]] = {} if path in FOR_EVERYBODY else {"session": []}
            assert operation["security"] == [{"token": []}, other], (path, method)


def test_the_schema_and_its_page_are_served(client: Client, db: None) -> None:
    served = client.get("/api/schema/")
    assert served.status_code == 200
    assert yaml.safe_load(served.content)["paths"] == yaml.safe_load(COMMITTED.read_text())["paths"]
    page = client.get("/api/docs/").content.decode()
    assert re.findall(r'(?:src|href)="(?![/#])', page) == []
    assert "/static/drf_spectacular_sidecar/" in page
