"""Which questions the records answer, as a call of the tool `list_records`.

The tool's description names the types, fields and states that exist for who asks; nothing else is known here. A
question is one for the records when every word of it is understood (`list_words`) and has a use: "Which contracts end
in 2026?", but not "Which contracts limit liability?". What may mean two things is none: it is searched for. Whether
what is taken for a name is one, the tool knows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm.quoting.list_words import QuestionToken, RecordType, read_types, split_tokens

LIST = "list_records"
MOST_LISTED = 50
MOST_LETTERS, MOST_BARE_WORDS = 300, 6
"""Of a question, and of one that says no more than what is asked for: "open risks"."""
COMPOUND = re.compile(r"\b(Gesamt|Durchschnitts)(?=[a-z]{4})")
TIMES = ("updated_at", "created_at")
SOLE = {"", "empty", "not"}
"""Comparisons beside which the same field has no other."""


@dataclass
class _Plan:
    """What has been read. fields: all that are named, `near` the last; dates: those a day may be of;
    compare: a comparison that waits for its other side; groups: whether other types are what is counted by.
    """

    of: RecordType
    types: Mapping[str, RecordType]
    dates: Sequence[str]
    groups: bool
    where: dict[str, str] = field(default_factory=dict)
    call: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    compare: str = ""
    extreme: str = ""

    @property
    def near(self) -> str:
        return self.fields[-1] if self.fields else ""

    def take(self, mark: str) -> bool:
        """Whether the mark was set; it is not any more."""
        found = mark in self.marks
        self.marks.discard(mark)
        return found

    def choose_field(self, *kinds: str) -> str:
        """The one named last; else the only one of these kinds, where none is named."""
        named = [name for name in self.fields if self.of.kinds.get(name) in kinds]
        only = self.of.list_fields(*kinds) if not self.fields else []
        return named[-1] if named else only[0] if len(only) == 1 else ""

    def narrow(self, name: str, value: str, lookup: str | None = None) -> bool:
        """By the comparison that waits, or `lookup`. False where the field has a condition that this may contradict."""
        if lookup is None:
            lookup, self.compare = self.compare, ""
        key = f"{name}__{lookup}" if lookup else name
        others = {old.partition("__")[2] for old in self.where if old != key and old.partition("__")[0] == name}
        if not name or self.where.setdefault(key, value) != value:
            return False
        return not others or not SOLE & {lookup, *others}


def plan_list(question: str, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The input of the tool; None where the question is none for the records."""
    types = read_types(next((str(tool.get("description", "")) for tool in tools if tool.get("name") == LIST), ""))
    if len(question) > MOST_LETTERS:
        return None
    tokens = split_tokens(COMPOUND.sub(r"\1 ", question), [*types.values()])
    kinds = [token.kind for token in tokens]
    named = [n for n, kind in enumerate(kinds) if kind == "type" and kinds[max(n - 1, 0)] != "group"]
    counted = [n for n in named if "most" in kinds[max(n - 2, 0) : n]]
    if not named or "unknown" in kinds:
        return None
    of = types[tokens[(counted or named)[0]].value]
    fields = [of.titles.get(token.value, token.value) for token in tokens if token.kind in ("title", "field")]
    dates = [name for name in dict.fromkeys(fields) if name in TIMES or of.kinds.get(name) == "date"]
    plan = _Plan(of, types, dates, groups=bool(counted))
    is_read = all(_read_token(plan, token, [*kinds[n + 1 :], ""][0]) for n, token in enumerate(tokens))
    if not is_read or plan.compare or plan.marks & {"not", "without", "group"}:
        return None
    return _write_call(plan, is_bare=len(question.split()) <= MOST_BARE_WORDS)


def _read_token(plan: _Plan, token: QuestionToken, following: str) -> bool:
    """Whether the token fits what came before it, and the kind of the next."""
    match token.kind:
        case "name":
            plan.names.append(token.text)
            return not plan.compare
        case "type":
            link = next((name for name, target in plan.of.links.items() if target == token.value), "")
            return token.value == plan.of.key or _read_field(plan, link, plan.types[token.value])
        case "title" if token.value in plan.of.states and following not in ("day", "by", "compare"):
            column, state = plan.of.states[token.value]
            lookup = "not" if plan.take("not") else ""
            earlier = plan.where.pop(f"{column}__{lookup}" if lookup else column, "")
            return plan.narrow(column, f"{earlier},{state}" if earlier else state, lookup)
        case "title":
            return _read_field(plan, plan.of.titles.get(token.value, ""))
        case "field":
            plan.fields.append(token.value)
        case "by" if following in ("type", "title") and not plan.near:
            plan.marks.add("group")
        case "compare" | "by":
            plan.compare = token.value
        case "day":
            name = plan.near if plan.near in plan.dates else plan.dates[0] if len(plan.dates) == 1 else ""
            is_amount = plan.of.kinds.get(plan.near) in ("money", "number")
            return not is_amount and "finished" not in plan.where and plan.narrow(name, token.value)
        case "amount":
            return _read_amount(plan, token.value, following)
        case "extreme" | "most":
            plan.extreme = token.value or "-money"
        case "overdue" | "finished":
            value = str(int(token.value) ^ plan.take("not"))
            return token.kind in plan.of.kinds and plan.narrow(token.kind, value, "")
        case _:
            plan.marks.add(token.kind)
    return True


def _read_amount(plan: _Plan, amount: str, following: str) -> bool:
    """How many are wanted, or what a field is compared with: days are no money."""
    number, _, unit = amount.partition(" ")
    if following in ("extreme", "type") and not plan.compare:
        plan.call["limit"] = int(number)
        return not unit and 1 <= int(number) <= MOST_LISTED
    is_counted = plan.of.kinds.get(plan.near) == "number"
    name = plan.near if is_counted else plan.choose_field("money") if unit or plan.fields else ""
    if not plan.compare or unit and is_counted != (unit == "days") or not plan.narrow(name, number):
        return False
    return unit in ("", "days") or "currency" in plan.of.kinds and plan.narrow("currency", unit, "")


def _read_field(plan: _Plan, name: str, target: RecordType | None = None) -> bool:
    """None of it, by it, a field of it that is compared with, or what is named for later. target: of a link."""
    if plan.take("without"):
        return plan.narrow(name, "1", "empty")
    if plan.take("group") or (target and plan.groups):
        plan.call["group"] = name
    elif target and plan.compare:
        return bool(name) and plan.near in target.kinds and plan.narrow(plan.near, f"field:{name}.{plan.near}")
    else:
        plan.fields.append(name)
    return bool(name)


def _write_call(plan: _Plan, is_bare: bool) -> dict[str, Any] | None:
    """None where it does not add up, or a field that was named has no use."""
    call, where = plan.call, plan.where
    if {"overdue", "finished"} <= where.keys():
        return None
    if "side" in plan.marks:
        return {"type": plan.of.key, "side_by_side": plan.names} if len(plan.names) > 1 and not where else None
    if len(plan.names) > 1:
        return None  # each of them, or all together
    if plan.names:
        where["called"] = plan.names[0]
    total = next((kind for kind in ("mean", "sum") if kind in plan.marks), "")
    if total and (plan.fields or total == "mean" or "count" not in plan.marks):
        call[total] = plan.choose_field("money", "number")
    if plan.extreme and "group" not in call:
        amounts = ("money", "number", "date") if plan.fields else ("money",)
        name = plan.choose_field(*(amounts if plan.extreme.endswith("money") else ("date",)))
        call["order"] = f"-{name}" if name and plan.extreme.startswith("-") else name
        call.setdefault("limit", 1)
        if plan.extreme == "next":
            where.setdefault(f"{name}__gte", "today")
    elif not total and "group" not in call:
        keys = {key.partition("__")[0] for key in where if not key.endswith("__empty")}
        days = [name for name in plan.of.list_fields("date") if {name, "overdue"} & keys]
        call |= {"order": days[0]} if days else {}
    used = [*where, *(value.removeprefix("field:") for value in where.values()), *map(str, call.values())]
    named = {re.split(r"__|\.", name.removeprefix("-"))[0] for name in used}
    idle = [n for n in plan.fields if n not in named and not (plan.names and plan.of.kinds.get(n) in ("text", "link"))]
    if idle or "" in call.values() or not (is_bare or "count" in plan.marks or where or call):
        return None
    return {"type": plan.of.key, **({"where": where} if where else {}), **call}
