"""Which questions the records answer, as a call of the tool `list_records`.

The tool's description names the types, fields and states that exist for who asks; nothing else is known here. A
question is one for the records when every word of it is understood (`list_words`): "Which contracts end in 2026?", but
not "Which contracts limit liability?". Whether what is taken for a name is one, the tool knows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from llm.offline.list_words import QuestionToken, RecordType, read_types, split_tokens

LIST = "list_records"
MOST_LISTED = 50
COMPOUND = re.compile(r"\b(Gesamt|Durchschnitt)s?(?=[a-z]{4})")
ALL_RECORDS = re.compile(r"\W*(?:list|show|all|every|which|what|give|any|welche\w?|alle|zeige?|liste|nenne)\b", re.I)
BARE = re.compile(r"\W*(?:\S+\s*){1,6}$")
"""A question that says no more than what is asked for: "open risks"."""
TIMES = ("updated_at", "created_at")


@dataclass
class _Plan:
    """What has been read of a question. near: the field named last; fields: all that wait for a use; compare: a
    comparison that waits for its other side; mentioned: the link whose type was named; marks: kinds of tokens.
    """

    of: RecordType
    types: Mapping[str, RecordType]
    where: dict[str, str] = field(default_factory=dict)
    call: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    near: str = ""
    compare: str = ""
    extreme: str = ""
    mentioned: str = ""

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

    def narrow(self, name: str, value: str) -> bool:
        """By a field and the comparison that waits, if any."""
        self.where[f"{name}__{self.compare}" if self.compare else name] = value
        self.compare = ""
        return bool(name)


def plan_list(question: str, tools: Sequence[Mapping[str, Any]], today: date | None = None) -> dict[str, Any] | None:
    """The input of the tool; None where the question is none for the records."""
    description = next((str(tool.get("description", "")) for tool in tools if tool.get("name") == LIST), "")
    types = {one.key: one for one in read_types(description)}
    question = COMPOUND.sub(r"\1 ", question)
    try:
        tokens = split_tokens(question, [*types.values()], today or date.today())
    except ValueError:
        return None  # there is no such day
    tokens = _join_last_words(tokens, question)
    wanted = _choose_type(tokens, types)
    if wanted is None:
        return None
    plan = _Plan(wanted, types)
    if not all(_read_token(plan, token, tokens[n + 1 :]) for n, token in enumerate(tokens)):
        return None
    if plan.compare or plan.marks & {"not", "group"}:
        return None
    return _write_call(plan, bool(ALL_RECORDS.match(question) or BARE.match(question)))


def _join_last_words(tokens: list[QuestionToken], question: str) -> list[QuestionToken]:
    """A name in small letters: what is unknown at the end, after "of" or "with"."""
    first = next((n for n, token in enumerate(tokens) if token.kind == "unknown"), 0)
    rest = tokens[first:]
    if not first or tokens[first - 1].kind != "with" or len(rest) > 3 or any(t.kind != "unknown" for t in rest[:-1]):
        return tokens
    text = question[rest[0].at : rest[-1].at + len(rest[-1].text)]
    return [*tokens[:first], QuestionToken("name", "", text, rest[0].at)]


def _choose_type(tokens: Sequence[QuestionToken], types: Mapping[str, RecordType]) -> RecordType | None:
    """After "most" that one, else the first that is no group; where none is named, the only one that has the fields of
    which the mean or somebody's greatest is asked for, or what belongs to something else and can be overdue.
    """
    kinds = [token.kind for token in tokens]
    named = [n for n, kind in enumerate(kinds) if kind == "type" and kinds[max(n - 1, 0)] != "group"]
    counted = [n for n in named if "most" in kinds[max(n - 2, 0) : n]]
    if named:
        return types[tokens[(counted or named)[0]].value]
    titles = [token.value for token in tokens if token.kind == "title"]
    having = [one for one in types.values() if titles and all(title in one.titles for title in titles)]
    if {"mean", "who"} & {*kinds}:
        return having[0] if len(having) == 1 else None
    due = {one.key: one for one in types.values() if "overdue" in one.kinds and "overdue" in kinds}
    return next((one for one in due.values() if due.keys() & {*one.links.values()}), None)


def _read_token(plan: _Plan, token: QuestionToken, ahead: Sequence[QuestionToken]) -> bool:
    """Whether the token fits what came before it."""
    following = ahead[0].kind if ahead else ""
    match token.kind:
        case "unknown":
            return False
        case "name" | "quoted":
            plan.names.append(token.value if token.kind == "quoted" else token.text)
            return not plan.compare
        case "type":
            return token.value == plan.of.key or _read_other_type(plan, token.value)
        case "title":
            return _read_title(plan, token.value, following)
        case "field":
            plan.near = token.value
        case "compare" | "when":
            if (
                token.value in ("lte", "gt")
                and token.kind == "when"
                and following in ("type", "title")
                and not plan.near
            ):
                plan.marks.add("group")  # "by project", "nach Status"
            else:
                plan.compare = token.value
            return bool(ahead)
        case "day":
            name = plan.near if plan.near in (*TIMES, *plan.of.list_fields("date")) else plan.choose_field("date")
            return "finished" not in plan.where and plan.narrow(name, token.value)
        case "amount" | "number" if following in ("extreme", "type") and not plan.compare:
            plan.call["limit"] = int(token.value)
            return 1 <= int(token.value) <= MOST_LISTED
        case "amount" | "number":
            name = plan.near if plan.of.kinds.get(plan.near) == "number" else plan.choose_field("money")
            return bool(plan.compare) and plan.narrow(name, token.value)
        case "extreme" | "most":
            plan.extreme = token.value or "count"
        case "overdue" | "finished":
            plan.where[token.kind] = str(int(token.value) ^ plan.take("not"))
            return token.kind in plan.of.kinds
        case _:
            plan.marks.add(token.kind)
    return True


def _read_other_type(plan: _Plan, key: str) -> bool:
    """A type that the records link to: none of it, by it, or, after a comparison, its field of the same name."""
    link = next((name for name, target in plan.of.links.items() if target == key), "")
    if plan.take("not"):
        plan.where[f"{link}__empty"] = "1"
    elif plan.take("group") or plan.extreme == "count":
        plan.call["group"] = link
    elif plan.compare:
        own, target = plan.near or plan.choose_field("date"), plan.types[key]
        others = [own] if own in target.kinds else target.list_fields(plan.of.kinds.get(own, "none"))
        return bool(link and others) and plan.narrow(own, f"field:{link}.{others[0]}")
    plan.mentioned = link
    return bool(link)


def _read_title(plan: _Plan, title: str, following: str) -> bool:
    """A state of the type or of what it links to, or a field: a date's verb before a day is no state."""
    of, name = plan.of, plan.of.titles.get(title, "")
    if title in of.states and not (name and following in ("day", "when", "compare")):
        column, state = of.states[title]
        key = f"{column}__not" if plan.take("not") else column
        plan.where[key] = f"{plan.where[key]},{state}" if key in plan.where else state
    elif name and plan.take("group"):
        plan.call["group"] = name
    elif name and plan.take("not"):
        plan.where[f"{name}__empty"] = "1"
    elif name and plan.compare and plan.near != name and of.kinds[name] == of.kinds.get(plan.near):
        return plan.narrow(plan.near, f"field:{name}")
    elif name:
        plan.near = name
        plan.fields.append(name)
    else:
        target = plan.types.get(of.links.get(plan.mentioned, ""))
        column, state = target.states.get(title, ("", "")) if target else ("", "")
        plan.where |= {f"{plan.mentioned}.{column}": state} if column else {}
        is_compared = any(value.startswith(f"field:{plan.mentioned}.") for value in plan.where.values())
        return bool(column or (target and title in target.titles and is_compared))
    return True


def _write_call(plan: _Plan, asks_all: bool) -> dict[str, Any] | None:
    """None where it does not add up, or a field that was named has no use."""
    call, where, dates = plan.call, plan.where, plan.of.list_fields("date")
    if "side" in plan.marks:
        return {"type": plan.of.key, "side_by_side": plan.names} if len(plan.names) > 1 else None
    if plan.names:
        where["called"] = "; ".join(plan.names)
    total = next((kind for kind in ("mean", "sum") if kind in plan.marks), "")
    number = plan.choose_field("money", "number") if total == "mean" or plan.fields else ""
    if total and (number or total == "mean"):
        call[total] = number
    if plan.extreme and "group" not in call:
        descends, kind = plan.extreme.startswith("-"), plan.extreme.removeprefix("-")
        if kind in ("money", "count"):
            kind = next(
                filter(None, map(plan.choose_field, ("money", "number", "date") if plan.fields else ("money",))), ""
            )
        elif kind in ("date", "next"):
            kind = plan.choose_field("date")
        call |= {"order": f"{'-' if descends or plan.extreme == 'count' else ''}{kind}", "limit": call.get("limit", 1)}
        if not kind:
            return None
        if plan.extreme == "next":
            where.setdefault(f"{kind}__gte", "today")
    elif not total and "group" not in call:
        days = [name for key in where if (name := key.partition("__")[0]) in dates or key == "overdue"]
        call |= {"order": days[0] if days[0] in dates else dates[0]} if days and dates else {}
    used = {key.partition("__")[0] for key in where} | {str(value).removeprefix("-") for value in call.values()}
    idle = [name for name in plan.fields if name not in used and not (plan.names and plan.of.kinds[name] == "text")]
    if idle or "" in call.values() or not (asks_all or "count" in plan.marks or where or call):
        return None
    return {"type": plan.of.key, **({"where": where} if where else {}), **call}
