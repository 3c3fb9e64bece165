"""Doors that name a thing inside the request: in a parameter or in the body.

Of the API they are derived from its schema, so a new parameter is covered or fails; of the pages they stand here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from drf_spectacular.generators import SchemaGenerator

from tests.prove.doors import Unknown
from tests.prove.world import World

KINDS = {
    **dict.fromkeys(["entity", "contract", "project", "source", "target"], "entity"),
    "file": "file",
    "session": "session",
    "passage": "paragraph",
    "paragraphs.*.id": "paragraph",
    "records.*": "entity",
    **dict.fromkeys(["files.*", "folders.*"], "file"),
    "conversations.*": "session",
}
"""What a parameter or field of this name names."""
NAMES_NOTHING = {"batch"}
"""Fields with an id that the caller makes up."""


@dataclass(frozen=True)
class Inside:
    """body: None for a parameter; else the fields beside `name`. many: the body is a list of such. name: dotted where
    it stands deeper, with * for the items of a list.
    """

    method: str
    path: str
    name: str
    kind: str
    body: dict[str, Any] | None = None
    many: bool = False

    def request(self, pk: UUID) -> tuple[str, Any]:
        """(path, body) that name `pk`."""
        if self.body is None:
            return f"{self.path}{'&' if '?' in self.path else '?'}{self.name}={pk}", None
        body = put(self.body, self.name.split("."), str(pk))
        return self.path, [body] if self.many else body


def put(body: dict[str, Any], where: list[str], value: str) -> dict[str, Any]:
    name, *rest = where
    if rest == ["*"]:
        return {**body, name: [value]}
    if rest[:1] == ["*"]:
        (item,) = body.get(name, [{}])
        return {**body, name: [put(item, rest[1:], value)]}
    return {**body, name: put(body.get(name, {}), rest, value) if rest else value}


def insides(world: World) -> list[Inside]:
    return [*of_the_api(world), *of_pages(world)]


def of_the_api(world: World) -> Iterator[Inside]:
    """Raises: Unknown."""
    spec = SchemaGenerator(urlconf="config.urls").get_schema(request=None, public=True)
    own = {kind: str(world.things["entity", f"{kind}0"]) for kind in ("project", "task", "risk")}
    own0, project = str(world.things["entity", "own0"]), own["project"]
    own["sessions"] = str(world.things["session", "shared0"])
    beside = {
        "/api/references/": {"source": project, "target": own0, "kind": "CrossReference"},
        "/api/chat/sessions/": {},
        "/api/access-requests/": {"file": str(world.things["file", "own0"]), "labels": [5]},
        **{f"/api/entities/{kind}/": {"name": "New", "project": project} for kind in own},
        "/api/entities/project/": {"name": "New"},
        "/api/chat/sessions/{id}/messages/": {"content": "What of it?"},
        "/api/desk/accept/": {"paragraphs": [{"seen": "as it was"}]},
    }
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            filled = path.replace("{id}", own.get(path.split("/")[3], own0)).removeprefix("/")
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "query" and "uuid" in str(parameter["schema"]):
                    query = "?q=berth" if "search" in path else ""
                    yield Inside(method.upper(), filled + query, parameter["name"], kind_of(parameter["name"]))
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for name in linked(content["schema"], spec):
                    whole = {} if method == "patch" else beside[path.replace("batch/", "")]
                    yield Inside(method.upper(), filled, name, kind_of(name), whole, "batch/" in path)
    place: dict[str, Any] = {**beside["/api/references/"], "location_type": "Page", "location": {"page": 1}}
    yield Inside("POST", "api/references/", "location.file", "file", place)
    file = str(world.things["file", "own0"])
    place = {**beside["/api/references/"], "location_type": "Section", "location": {"file": file}}
    yield Inside("POST", "api/references/", "location.passage", "paragraph", place)


def linked(schema: dict[str, Any], spec: dict[str, Any]) -> list[str]:
    """Names of the fields with an id, those of the items of a list as `list.*.field`."""
    name = (schema.get("$ref") or schema.get("items", {}).get("$ref", "")).split("/")[-1]
    fields = spec["components"]["schemas"].get(name, schema).get("properties", {})
    named = {field: shape for field, shape in fields.items() if "uuid" in str(shape) and field not in NAMES_NOTHING}
    found = [f"{field}.*" if shape.get("type") == "array" else field for field, shape in named.items()]
    lists = {field: shape["items"] for field, shape in fields.items() if "$ref" in shape.get("items", {})}
    return [*found, *(f"{field}.*.{inner}" for field, items in lists.items() for inner in linked(items, spec))]


def kind_of(name: str) -> str:
    if name not in KINDS:
        raise Unknown(f"the API takes an id as {name}: say in KINDS what it names")
    return KINDS[name]


def of_pages(world: World) -> Iterator[Inside]:
    own0, project = world.things["entity", "own0"], world.things["entity", "project0"]
    file = world.things["file", "own0"]
    for name in ("entity", "file", "session"):
        yield Inside("GET", "search/?q=berth", name, name)
    yield Inside("GET", "records/project/", "contract", "entity")
    yield Inside("POST", "records/project/new/", "contract", "entity", {"name": "New", "phase": "planning"})
    yield Inside("POST", f"entities/{project}/edit/", "contract", "entity", {"name": "New", "phase": "planning"})
    yield Inside("POST", f"entities/{own0}/references/new/", "target", "entity", {"kind": "CrossReference"})
    yield Inside("GET", f"entities/{own0}/chat/", "session", "session")
    yield Inside("POST", f"entities/{own0}/chat/ask/", "session", "session", {"content": "What of it?"})
    yield Inside("GET", f"chat/{world.things['session', 'shared0']}/", "at", "turn")
    yield Inside("GET", "desk/", "file", "file")
    for name in ("entity", "file"):
        yield Inside("GET", "access-requests/new/?labels=5", name, name)
        yield Inside("POST", "access-requests/new/", name, name, {"labels": ["5"]})
    yield Inside("GET", "desk/", "record", "entity")
    yield Inside("POST", "desk/accept/", "item", "paragraph", {})
    yield Inside("GET", f"files/{file}/", "passage", "paragraph")
    yield Inside("GET", f"files/{file}/", "row", "row")
