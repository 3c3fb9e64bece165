"""The audit, to be read. Words show as far as the administrator is cleared for them (docs/audit.md)."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from unfold.views import ChangeList

from entities.access import Scope
from entities.admin.audit_sentences import describe_action
from entities.admin.base import ListAdmin
from entities.admin.names import Thing, find_names, find_people
from entities.api.lists import list_atom_chips
from entities.audit.queries import AuditRow, TextState, build_day_filter, build_rows, list_known_actions
from entities.models import AuditEntry, Role, User

DAYS = 14
UUID_CHARACTERS = 36
KINDS = {"entity": "record", "user": "user", "role": "role", "roles": "role"}
"""Of the details that are ids, by their name."""
SAID = {TextState.HIDDEN: "Words you are not cleared for", TextState.REDACTED: "Words taken out"}


def get_scope(request: HttpRequest) -> Scope:
    return request.access_scope  # type: ignore[attr-defined, no-any-return]


class ActionFilter(admin.SimpleListFilter):
    title = parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        actions = list_known_actions(get_scope(request))
        return sorted(((action, describe_action(action)) for action in actions), key=lambda pair: pair[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class PersonFilter(admin.SimpleListFilter):
    """Members, roles and the program; who has left by their number in the address."""

    title, parameter_name = "person", "actor"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        people = User.objects.filter(memberships__isnull=False).order_by("username")
        roles = [(str(-role.pk), gettext("as %(role)s") % {"role": role.name}) for role in Role.objects.all()]
        return [*((str(user.pk), str(user)) for user in people), ("0", gettext("the program")), *roles]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        if not value:
            return queryset
        number = value.removeprefix("-")
        return (
            queryset.filter(actor=int(value))
            if number.isascii() and number.isdigit() and len(number) < 18
            else (queryset.none())
        )


class DayFilter(admin.SimpleListFilter):
    """The last two weeks; any other day as `?day=2026-03-31`."""

    title = parameter_name = "day"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        today = datetime.now(UTC).date()
        return [
            (day.isoformat(), date_format(day, "D j F")) for day in (today - timedelta(days=n) for n in range(DAYS))
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        try:
            day = date.fromisoformat(self.value() or "")
        except ValueError:
            return queryset.none()
        return queryset.filter(**build_day_filter(day, day))


class Rows(ChangeList):
    """A page of the list, with its rows and the people in it read at once."""

    @cached_property
    def read(self) -> dict[int, AuditRow]:
        return {row.entry.pk: row for row in build_rows(get_scope(self.request), list(self.result_list))}

    @cached_property
    def names(self) -> dict[int, str]:
        return find_people(entry.actor for entry in self.result_list)

    @cached_property
    def names_of_things(self) -> dict[Thing, str]:
        about = {(entry.object_kind, entry.object_id) for entry in self.result_list}
        about |= {pair for entry in self.result_list for pair in find_named_things(entry.detail)}
        return find_names(get_scope(self.request), about)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.request = request
        for entry in self.result_list:
            entry.row, entry.name = self.read[entry.pk], self.names.get(entry.actor, f"#{entry.actor}")
            entry.things = self.names_of_things


class AuditAdmin(ListAdmin):
    list_display = ["number", "time", "who", "what", "words", "figures"]
    search_fields = ["object_id", "action"]
    list_filter = [ActionFilter, PersonFilter, DayFilter]
    list_per_page = 50
    show_full_result_count = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Rows

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        return lookup in ("action", "actor", "day")

    @admin.display(description="Row", ordering="id")
    def number(self, entry: Any) -> str:
        return str(entry.row.number or "")

    @admin.display(description="Who")
    def who(self, entry: Any) -> str:
        return str(entry.name)

    @admin.display(description="At (UTC)", ordering="at")
    def time(self, entry: AuditEntry) -> str:
        return format_html('<span class="whitespace-nowrap">{}</span>', f"{entry.at:%Y-%m-%d %H:%M:%S}")

    @admin.display(description="Action", ordering="action")
    def what(self, entry: Any) -> str:
        name = entry.things.get((entry.object_kind, entry.object_id)) or shorten_id(entry.object_id)
        return format_html('<span title="{}">{}</span><br>{}', entry.action, describe_action(entry.action), name)

    @admin.display(description="Words")
    def words(self, entry: Any) -> str:
        """The question with its label, and the records of what was found that the administrator may see too."""
        row: AuditRow = entry.row
        if row.words is None:
            return SAID.get(row.state, "")
        atoms = row.words.atoms
        label = "not labelled" if atoms is None else ", ".join(chip.label for chip in list_atom_chips(atoms))
        records = dict.fromkeys(record for _, record in row.words.retrieved)
        links = format_html_join(" ", '<a href="{}">{}</a>', ((record_url(pk), pk.hex[:8]) for pk in records))
        text = format_html("{} ({})", row.words.text, label) if row.words.text else ""
        found = format_html("<details><summary>Found in</summary>{}</details>", links) if records else ""
        return format_html("{}{}", text, found)

    @admin.display(description="Details")
    def figures(self, entry: Any) -> str:
        return format_html_join(
            "; ", "{}", ((format_figure(n, value, entry.things),) for n, value in entry.detail.items())
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """An id, or an action: whole, so that an index serves."""
        term = search_term.strip()
        return (queryset.filter(Q(object_id=term) | Q(action=term)) if term else queryset), False


def shorten_id(text: str) -> str:
    """HTML: the first characters of a UUID, all of it in its title; other ids as they are."""
    return format_html('<span title="{}">{}…</span>', text, text[:8]) if len(text) == UUID_CHARACTERS else text


def record_url(pk: UUID) -> str:
    return reverse("entities:detail", args=[pk])


def find_named_things(detail: Mapping[str, Any]) -> list[Thing]:
    """The things that details of a row name by their ids."""
    listed = ((kind, value if isinstance(value, list) else [value]) for kind, value in detail.items())
    return [(KINDS[kind], str(each)) for kind, values in listed if kind in KINDS for each in values]


def format_figure(name: str, value: Any, things: Mapping[Thing, str]) -> str:
    """One of `detail` for people: latency_ms, 830 as "latency 830 ms"; ids as names where the administrator may read
    them.
    """
    if name.endswith("_ms"):
        return f"{name.removesuffix('_ms')} {value} ms"
    title = name.replace("_", " ")
    if name == "labels" and isinstance(value, list):
        return f"{title} {', '.join(chip.label for chip in list_atom_chips(value))}"
    pairs = find_named_things({name: value})
    if not pairs:
        return f"{title} {format_plain(value)}"
    return format_html("{} {}", title, format_html_join(", ", "{}", ((things.get(pair, pair[1]),) for pair in pairs)))


def format_plain(value: Any) -> str:
    """A value of `detail` for people: {"input": 3} as "input 3"."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_plain(each)}" for name, each in value.items())
    return ", ".join(map(format_plain, value)) if isinstance(value, list) else str(value)
