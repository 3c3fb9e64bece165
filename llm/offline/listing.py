"""The quoting engine's use of `list_records`: which questions the records answer, as a call of the tool, and the answer
as a table.

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
from llm.offline.reading import extract_passages

LIST = "list_records"
ADDRESS = "In the lists: "
"""Before the address of the same list, in the tool's result."""
UNCITED = "- "
"""Before a record without a number."""
IS_LIST = re.compile(r"(?:No|\d+(?: of \d+)?) ")
"""Begins a result of the tool that is no refusal."""
ALL_RECORDS = (
    "list",
    "show",
    "all",
    "every",
    "which",
    "what",
    "give",
    "any",
    "welche",
    "alle",
    "zeige",
    "liste",
    "nenne",
)
MOST_LISTED = 50
COMPOUND = re.compile(r"\b(Gesamt|Durchschnitt)s?(?=[a-z]{4})")


@dataclass
class _Plan:
    """What has been read of a question. near: the last field that was named; compare: a comparison that waits for what
    it compares with.
    """

    of: RecordType
    where: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    near: str = ""
    fields: list[str] = field(default_factory=list)
    compare: str = ""
    when: str = ""
    negates: bool = False
    groups: bool = False
    total: str = ""
    extreme: str = ""
    most: int = 0
    group: str = ""
    is_side: bool = False
    counts: bool = False


def plan_list(question: str, tools: Sequence[Mapping[str, Any]], today: date | None = None) -> dict[str, Any] | None:
    """The input of the tool; None where the question is none for the records."""
    description = next((str(tool.get("description", "")) for tool in tools if tool.get("name") == LIST), "")
    types = read_types(description)
    question = COMPOUND.sub(r"\1 ", question)
    try:
        tokens = split_tokens(question, types, today or date.today())
    except ValueError:
        return None  # there is no such day
    tokens = _join_last_words(tokens, question)
    wanted = _choose_type(tokens, types)
    if wanted is None or any(token.kind == "unknown" for token in tokens):
        return None
    plan = _Plan(wanted)
    for index, token in enumerate(tokens):
        if not _read_token(plan, token, tokens[index + 1 :], types):
            return None
    if plan.compare or plan.negates or plan.groups:
        return None
    asks_all = re.match(rf"\W*(?:{'|'.join(ALL_RECORDS)})\b", question, re.IGNORECASE) or len(tokens) <= MOST_SHORT
    return _write_call(plan, bool(asks_all))


MOST_SHORT = 6
"""Tokens of a question that says no more than what is asked for: "open risks"."""


def _join_last_words(tokens: list[QuestionToken], question: str) -> list[QuestionToken]:
    """A name in small letters: what is unknown at the end, after "of" or "with"."""
    first = next((n for n, token in enumerate(tokens) if token.kind == "unknown"), None)
    if (
        not first
        or tokens[first - 1].kind != "with"
        or any(t.kind not in ("unknown", "amount") for t in tokens[first:])
    ):
        return tokens
    start, last = tokens[first], tokens[-1]
    if len(tokens) - first > 3:
        return tokens
    return [*tokens[:first], QuestionToken("name", "", question[start.at : last.at + len(last.text)], start.at)]


def _choose_type(tokens: Sequence[QuestionToken], types: Sequence[RecordType]) -> RecordType | None:
    """The type whose records are asked for: after "most" that one, else the first that is no group, else the only one
    that has the field which is averaged or is overdue.
    """
    known = {one.key: one for one in types}
    kinds = [token.kind for token in tokens if token.kind not in ("filler",)]
    real = [token for token in tokens if token.kind not in ("filler",)]
    for index, token in enumerate(real):
        if token.kind == "type" and index and kinds[index - 1] == "most":
            return known[token.value]
        if token.kind == "type" and index > 1 and kinds[index - 2] == "most" and real[index - 1].kind == "title":
            return known[token.value]
    for index, token in enumerate(real):
        if token.kind == "type" and not (index and kinds[index - 1] == "group"):
            return known[token.value]
    titles = [token.value for token in real if token.kind == "title"]
    if {"mean", "who"} & {*kinds} or (titles and "extreme" in kinds and "who" in kinds):
        having = [
            one for one in types if titles and all(title in one.titles or title in one.states for title in titles)
        ]
        return having[0] if len(having) == 1 else None
    if "overdue" in kinds:
        having = [one for one in types if "overdue" in one.kinds]
        return next((one for one in having if {*one.links.values()} & {each.key for each in having}), None)
    return None


def _read_token(plan: _Plan, token: QuestionToken, rest: Sequence[QuestionToken], types: Sequence[RecordType]) -> bool:
    """Whether the token fits what came before."""
    kind, value, ahead = token.kind, token.value, [each for each in rest if each.kind != "filler"]
    if kind in ("filler", "with", "than", "who", "each", "top"):
        return True
    if kind in ("name", "quoted"):
        plan.names.append(value if kind == "quoted" else token.text)
        return not plan.compare
    if kind == "type":
        return _read_type_word(plan, value, types)
    if kind == "title":
        return _read_title(plan, token, ahead, types)
    if kind == "field":
        plan.near = value
        plan.fields.append(value)
        return True
    if kind in ("compare", "when"):
        plan.compare = value
        return bool(ahead)
    if kind == "day":
        return _compare_day(plan, value)
    if kind == "amount" or kind == "number":
        if ahead and ahead[0].kind in ("extreme", "type") and not plan.compare:
            plan.most = int(value)
            return 1 <= plan.most <= MOST_LISTED
        return _compare_amount(plan, value)
    if kind in ("sum", "mean"):
        plan.total = kind
        return True
    if kind in ("extreme", "most"):
        plan.extreme = value if kind == "extreme" else "count"
        return True
    if kind in ("overdue", "finished"):
        if kind not in plan.of.kinds:
            return False
        plan.where[kind] = str(int(value) ^ plan.negates) if kind == "finished" or plan.negates else value
        plan.negates = False
        return True
    plan.negates |= kind == "not"
    plan.groups |= kind == "group"
    plan.is_side |= kind == "side"
    plan.counts |= kind == "count"
    return True


def _read_type_word(plan: _Plan, key: str, types: Sequence[RecordType]) -> bool:
    link = next((name for name, target in plan.of.links.items() if target == key), "")
    if key == plan.of.key:
        return not plan.groups
    if not link:
        return False
    if plan.negates:
        plan.where[f"{link}__empty"], plan.negates = "1", False
    elif plan.groups or plan.extreme == "count":
        plan.group, plan.groups = link, False
    elif plan.compare:
        # "after their project": by the field of the same name.
        own, target = plan.near or _choose_day(plan), next(one for one in types if one.key == key)
        other = own if own in target.kinds else next(iter(target.list_fields(plan.of.kinds.get(own, ""))), "")
        if not own or not other:
            return False
        plan.where[f"{own}__{plan.compare}"], plan.compare = f"field:{link}.{other}", ""
    else:
        plan.group = plan.group or f"?{link}"
    return True


def _choose_day(plan: _Plan) -> str:
    days = plan.of.list_fields("date")
    return days[0] if len(days) == 1 else ""


def _read_title(plan: _Plan, token: QuestionToken, ahead: Sequence[QuestionToken], types: Sequence[RecordType]) -> bool:
    """A state of the type or of what it links to, or a field; a date's verb before a day is no state."""
    title, of = token.value, plan.of
    name = of.titles.get(title, "")
    is_verb = bool(name) and bool(ahead) and ahead[0].kind in ("day", "when", "compare")
    if title in of.states and not is_verb:
        column, state = of.states[title]
        key = f"{column}__not" if plan.negates else column
        plan.where[key] = f"{plan.where[key]},{state}" if key in plan.where else state
        plan.negates = False
        return True
    if name in ("overdue", "finished"):
        return False
    if name:
        if plan.groups:
            plan.group, plan.groups = name, False
        elif plan.negates:
            plan.where[f"{name}__empty"], plan.negates = "1", False
        elif plan.compare and plan.near and plan.near != name and of.kinds[name] == of.kinds[plan.near]:
            plan.where[f"{plan.near}__{plan.compare}"], plan.compare = f"field:{name}", ""
        else:
            plan.near = name
            plan.fields.append(name)
        return True
    for link, key in of.links.items():
        target = next((one for one in types if one.key == key), None)
        if target and title in target.states and plan.group == f"?{link}":
            column, state = target.states[title]
            plan.where[f"{link}.{column}"], plan.group = state, ""
            return True
        if target and title in target.titles and any(v.startswith(f"field:{link}.") for v in plan.where.values()):
            return True  # "after their project's deadline"
    return False


def _compare_day(plan: _Plan, value: str) -> bool:
    named = plan.near if plan.of.kinds.get(plan.near) == "date" or plan.near in ("updated_at", "created_at") else ""
    name = named or _choose_day(plan)
    if not name or (not named and (plan.fields or "finished" in plan.where)) or plan.negates:
        return False
    key = f"{name}__{plan.compare}" if plan.compare else name
    plan.where[key], plan.compare = value, ""
    return True


def _compare_amount(plan: _Plan, value: str) -> bool:
    numbers = plan.of.list_fields("money", "number")
    name = plan.near if plan.near in numbers else next(iter(plan.of.list_fields("money")), "")
    if not name or not plan.compare or (plan.near and plan.near not in numbers):
        return False
    plan.where[f"{name}__{plan.compare}"], plan.compare = value, ""
    return True


def _write_call(plan: _Plan, asks_all: bool) -> dict[str, Any] | None:
    """None where it does not add up."""
    call: dict[str, Any] = {"type": plan.of.key}
    numbers = plan.of.list_fields("money", "number")
    named = next((name for name in plan.fields if name in numbers), "")
    if plan.is_side:
        if len(plan.names) < 2:
            return None
        return call | {"side_by_side": plan.names}
    if plan.names:
        plan.where["called"] = "; ".join(plan.names)
        plan.fields = [name for name in plan.fields if plan.of.kinds.get(name) != "text"]  # who it is, or which firm
    if plan.total:
        if not named and plan.total == "mean":
            return None
        if named:
            call[plan.total] = named
        elif plan.fields or not plan.counts and not (numbers == [] or asks_all):
            return None
    if plan.group and not plan.group.startswith("?"):
        call["group"] = plan.group
    elif plan.extreme:
        order = _choose_order(plan, named)
        if order is None:
            return None
        call |= {"order": order, "limit": plan.most or 1}
    days = [key.partition("__")[0] for key in plan.where if plan.of.kinds.get(key.partition("__")[0]) == "date"]
    if "order" not in call and "overdue" in plan.where:
        days += plan.of.list_fields("date")[:1]
    if days and "order" not in call and "group" not in call and not plan.total:
        call["order"] = days[0]
    if plan.extreme == "next" and "order" in call:
        plan.where.setdefault(f"{call['order']}__gte", "today")
    if plan.where:
        call["where"] = plan.where
    used = {key.partition("__")[0] for key in plan.where} | {str(call.get(k, "")).lstrip("-") for k in call}
    idle = [name for name in plan.fields if name not in used and name not in ("created_at", "updated_at")]
    if idle or not (asks_all or plan.counts or len(call) > 1):
        return None
    return call


def _choose_order(plan: _Plan, named: str) -> str | None:
    """The field to order by; None where it is not clear."""
    if plan.extreme == "count":
        # "the most" of what is earned: an amount.
        return f"-{named}" if named else None
    sign = "-" if plan.extreme.startswith("-") else ""
    kind = plan.extreme.removeprefix("-")
    dates = [name for name in plan.fields if plan.of.kinds.get(name) == "date"]
    if kind == "money":
        only = plan.of.list_fields("money")
        chosen = named or (only[0] if len(only) == 1 and not plan.fields else "")
        if not chosen and dates:
            chosen = dates[0]
        return f"{sign}{chosen}" if chosen else None
    if kind in ("date", "next"):
        chosen = dates[0] if dates else _choose_day(plan) if not plan.fields else ""
        return f"{sign}{chosen}" if chosen else None
    return f"{sign}{kind}" if not plan.fields else None


def read_list(result: str, asked: Mapping[str, Any] | None = None) -> str | None:
    """The answer from the tool's result: what is counted, a table whose rows have their numbers, and a link to the
    list. None where the tool refused.
    """
    if not IS_LIST.match(result):
        return None
    head, *lines = [line for line in result.split("<passages>", 1)[0].splitlines() if line.strip()]
    address = next((line.removeprefix(ADDRESS) for line in lines if line.startswith(ADDRESS)), "")
    rows = [(_split_row(passage.text), f" [{passage.n}]") for passage in extract_passages(result)]
    rows += [(_split_row(line.removeprefix(UNCITED)), "") for line in lines if line.startswith(UNCITED)]
    others = [line for line in lines if not line.startswith((ADDRESS, UNCITED))]
    grouped = "\n".join(line for line in others if line.startswith("|"))
    parts = [head, *(line for line in others if not line.startswith("|")), grouped]
    if rows:
        parts.append(_write_sides(rows) if (asked or {}).get("side_by_side") else _write_table(rows))
    if address:
        parts.append(f"[Open this list]({address})")
    return "\n\n".join(part for part in parts if part)


Row = tuple[tuple[str, dict[str, str]], str]


def _split_row(text: str) -> tuple[str, dict[str, str]]:
    """The title and the fields of "Quay lease; Ends on: 1 May 2027"."""
    title, *pairs = " ".join(text.split()).split("; ")
    return title, dict(pair.split(": ", 1) for pair in pairs if ": " in pair)


def _write_table(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(name for (_, fields), _ in rows for name in fields))
    lines = [["Name", *columns], ["---"] * (len(columns) + 1)]
    lines += [[f"{_escape(title)}{n}", *(_escape(fields.get(c, "")) for c in columns)] for (title, fields), n in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _write_sides(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(name for (_, fields), _ in rows for name in fields))
    lines = [["", *(f"{_escape(title)}{n}" for (title, _), n in rows)], ["---"] * (len(rows) + 1)]
    lines += [[column, *(_escape(fields.get(column, "")) for (_, fields), _ in rows)] for column in columns]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(cell: str) -> str:
    return re.sub(r"([|\\\[\]*_`<])", r"\\\1", cell)
