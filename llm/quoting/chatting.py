"""The offline engine in a chat: search first, then quote."""

import re
from typing import Any

from llm.prompts import CLOSEST, NEAREST, NOT_FOUND, SELF
from llm.quoting.answering import COMPARED, Answered, find_answer, find_labelled
from llm.quoting.asked import drop_place_words, normalise_wording, split_parts
from llm.quoting.aspects import WRITTEN
from llm.quoting.clauses import find_focus, read_clause
from llm.quoting.comparisons import split_compared
from llm.quoting.field_answers import Quote, find_field
from llm.quoting.follow_ups import WHERE, find_last_answer, is_leaning_on, leans, read_meanings
from llm.quoting.judging import JudgedQuotes, judge_quotes
from llm.quoting.list_tables import read_list
from llm.quoting.listing import LIST, plan_list
from llm.quoting.long_questions import has_term
from llm.quoting.overview import write_points
from llm.quoting.overview_questions import OVERVIEW, READ, ReadingPlan, find_document, plan_reading
from llm.quoting.passage_fit import bears_on, read_record
from llm.quoting.pulsing import choose_best_points
from llm.quoting.reading import (
    FIELDS,
    PromptPassage,
    extract_passages,
    extract_text,
    find_last_question,
    get_document_title,
    record_name,
    record_type,
)
from llm.quoting.recalled import quote_conversation
from llm.quoting.row_answers import read_contexts
from llm.quoting.small_talk import is_small_talk
from llm.quoting.tool_results import (
    OWN_FIELDS,
    ToolResult,
    collect_results,
    correct_question,
    has_documents,
    list_own_fields,
    select_searches,
    write_quotes,
)
from text.pieces import join_cells
from text.terms import ALIKE, extract_content_words, extract_terms, stem_word

SEARCH = "search_knowledge"
MORE = re.compile(
    r"^\W*(?:please\s+)?(?:tell\s+me\s+more|more(?:\s+details)?|go\s+on|continue|mehr)\W*$", re.IGNORECASE
)
# Score from which what stands around the record answers, and nothing is looked for elsewhere.
SURE = 0.97
NEARNESS = 0.08
MAX_CLOSEST = 5
RANKED = re.compile(rf"^{NEAREST}((?: \[\d+\])+)$", re.MULTILINE)
MAX_SEARCHED_WORDS = 5
"""Content words from which a question has enough for a search, where no document is called as it names one."""


def choose_next_call(body: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The tool that the last question needs now, and its input; None where it is time to answer.

    Questions for records are answered by the database. Others are searched for around the record first, and everywhere
    where that answers badly.
    """
    tools = {tool.get("name"): tool for tool in body.get("tools", [])}
    if SEARCH not in tools or (body.get("tool_choice") or {}).get("type") == "none":
        return None
    index, question = find_last_question(body["messages"])
    if index < 0 or is_small_talk(question) or quote_conversation(body["messages"], index, question):
        return None
    results = collect_results(body["messages"], index)
    question = correct_question(question, results)
    if not results and (listed := plan_list(question, body["tools"])):
        return LIST, listed
    results = _drop_refused(results)
    if all(result.name == READ for result in results) and _find_own_field(body, index, question):
        return (READ, OWN_FIELDS) if READ in tools and not results else None
    if any(result.name == LIST for result in results):
        return None
    plan = _plan_reading(body, index, question) if READ in tools else None
    if plan is not None:
        readings = [result.text for result in results if result.name == READ]
        if not readings:
            return READ, plan.call(named=bool(plan.topic))
        is_name = plan.general or plan.topic[:1].isupper()
        if is_name and plan.topic and len(readings) == 1 and "<passages>" not in readings[0]:
            return READ, plan.call(named=False)
        if _read_points(body, index, question, results) and (plan.aspects or has_documents(readings)):
            return None
    elif READ in tools and (named := _find_document(body, question)):
        if not any(result.name == READ for result in results):
            return READ, {"document": named, "focus": " ".join(extract_content_words(question))}
        if find_best_answer(body, index, question, []).quotes:
            return None
    searched = select_searches(results)
    if not searched:
        return SEARCH, search_input(body)
    if "scope" not in tools[SEARCH].get("input_schema", {}).get("properties", {}):
        return None
    if MORE.match(question) or OVERVIEW.search(question):
        return None
    best = find_best_answer(body, index, question, searched)
    if READ in tools and any(not quote.n for quote in best.quotes) and OWN_FIELDS not in [r.asked for r in results]:
        return READ, OWN_FIELDS
    was_read = [result for result in results if result.name == READ]
    is_short = len(extract_content_words(drop_place_words(question))) < MAX_SEARCHED_WORDS
    if (
        READ in tools
        and plan is None
        and not best.quotes
        and (is_short or not was_read)
        and all(result.asked.get("document") for result in was_read)
    ):
        # A form may say it in few words, by which no search finds it.
        return READ, {"focus": " ".join(_add_alike(extract_content_words(question)))}
    if _is_about_record(body, index, question):
        return None
    if best.score >= SURE and _judge(question, results, best).quotes:
        return None
    query = " ".join(list_search_words(body)) or question
    if len(searched) == 2:
        # A document names its parties once: what is asked for stands elsewhere in it.
        query = " ".join(_add_alike([word for word in query.split() if not word[:1].isupper()])) or query
    known = {" ".join(list_search_words(body))} if len(searched) == 2 else set()
    return (SEARCH, {"query": query, "scope": "workspace"}) if len(searched) < 3 and query not in known else None


def _add_alike(words: list[str]) -> list[str]:
    """Each word with those that mean the same."""
    return list(dict.fromkeys(other for word in words for other in (word, *ALIKE.get(stem_word(word), ()))))


def search_input(body: dict[str, Any]) -> dict[str, Any]:
    """The input of the first search: the question as it was asked, for the encoder reads questions, with the words that
    papers have for its own. One that leans on the question before is searched for by the content words of both.
    """
    _, question = find_last_question(body["messages"])
    words, own = list_search_words(body), _list_own_words(question)
    if words != own or MORE.match(question):
        return {"query": " ".join(words) or question}
    asked = drop_place_words(question)
    return {"query": " ".join([asked, *(word for word in own if word not in extract_content_words(asked))])}


def _list_own_words(question: str) -> list[str]:
    words = extract_content_words(f"{drop_place_words(question)}\n{normalise_wording(question)}")
    return list(dict.fromkeys([*words, *find_focus(question)]))


def list_search_words(body: dict[str, Any]) -> list[str]:
    """The question's content words, with those of the question before when it leans on it."""
    index, question = find_last_question(body["messages"])
    words = _list_own_words(question)
    if MORE.match(question):
        words = extract_content_words(find_last_question(body["messages"][:index])[1]) or words
    before, earlier = find_last_question(body["messages"][:index])
    if before >= 0 and is_leaning_on(question, earlier, fewer_than=6) and not is_small_talk(earlier):
        words = [*extract_content_words(earlier), *words, *(["location"] if WHERE.search(question) else [])]
    if OVERVIEW.search(question):
        words += extract_content_words(record_name(extract_text(body.get("system", ""))))
    return list(dict.fromkeys(words))


def compose_answer(body: dict[str, Any]) -> str:
    """The answer in words: quotes with their numbers; where nothing answers, the numbers of the passages that come
    nearest; where there are none, that nothing was found.
    """
    text, nearest = _find_answer(body)
    closest = " ".join([CLOSEST, *(f"[{n}]" for n in nearest[:MAX_CLOSEST])]) if nearest else ""
    return text or closest or NOT_FOUND


def find_answer_text(body: dict[str, Any]) -> str:
    """Quotes with their numbers; "" where nothing answers."""
    return _find_answer(body)[0]


def _find_answer(body: dict[str, Any]) -> tuple[str, list[int]]:
    """Quotes with their numbers, "" where nothing answers; and the numbers of what comes nearest then."""
    index, question = find_last_question(body["messages"])
    if index < 0 or is_small_talk(question):
        return SELF, []
    if recalled := quote_conversation(body["messages"], index, question):
        return recalled, []
    results = _drop_refused(collect_results(body["messages"], index))
    question = correct_question(question, results)
    if all(result.name == READ for result in results) and (line := _find_own_field(body, index, question)):
        return write_quotes([Quote(line, 0)], body, results), []
    for result in results:
        if result.name == LIST and (listed := read_list(result.text, result.asked)):
            return listed, []
    searched = select_searches(results)
    points = _read_points(body, index, question, results)
    if not points or searched:
        points += _compose_overview(body, index, question, searched)
    if points:
        return "\n".join(dict.fromkeys(points)), []
    judged = _judge(question, results, find_best_answer(body, index, question, searched))
    return write_quotes(judged.quotes, body, results) if judged.quotes else "", judged.ranked


def _judge(question: str, results: list[ToolResult], answered: Answered) -> JudgedQuotes:
    return judge_quotes(question, _list_found(results), answered.quotes)


def _drop_refused(results: list[ToolResult]) -> list[ToolResult]:
    """Without lists of records that were refused: the question is as if it had been for no list."""
    return [result for result in results if result.name != LIST or read_list(result.text)]


def _list_found(results: list[ToolResult]) -> list[PromptPassage]:
    """The passages of all searches, each search's nearest first, then those that were read."""
    searched = select_searches(results)
    read = [result.text for result in results if result.name == READ]
    passages = {p.n: p for p in extract_passages("\n".join([*searched, *read])) if p.kind != FIELDS}
    ranked = [n for text in searched for n in _rank_passages(text)]
    return [passages[n] for n in dict.fromkeys([*ranked, *passages]) if n in passages]


def _rank_passages(searched: str) -> list[int]:
    """The numbers of a search's passages, the nearest first, without those that only stand beside one."""
    given = [passage.n for passage in extract_passages(searched) if passage.kind != FIELDS]
    order = RANKED.search(searched.partition("<passages>")[0])
    return [n for n in map(int, re.findall(r"\d+", order[1])) if n in given] if order else given


def _find_own_field(body: dict[str, Any], index: int, question: str) -> str:
    """The field of the record at hand that is asked for; "" for none, and where what was said before is meant."""
    _, earlier = find_last_question(body["messages"][:index])
    if is_leaning_on(question, earlier, fewer_than=4) and not _is_about_record(body, index, question):
        return ""
    system = extract_text(body.get("system", ""))
    fields = list_own_fields(body, [])
    return find_field(question, record_name(system), record_type(system), fields)


def _find_document(body: dict[str, Any], question: str) -> str:
    system = extract_text(body.get("system", ""))
    return find_document(question, f"{record_name(system)} {record_type(system)}")


def _plan_reading(body: dict[str, Any], index: int, question: str) -> ReadingPlan | None:
    """How the documents are read for the question, or for the one before where it asks for more."""
    if MORE.match(question):
        _, question = find_last_question(body["messages"][:index])
    system = extract_text(body.get("system", ""))
    return plan_reading(question, f"{record_name(system)} {record_type(system)}")


def _read_points(body: dict[str, Any], index: int, question: str, results: list[ToolResult]) -> list[str]:
    """Points of the documents that were read."""
    plan = _plan_reading(body, index, question)
    texts = [result.text for result in results if result.name == READ]
    if plan is None or not texts:
        return []
    before = find_last_answer(body["messages"][:index]) if MORE.match(question) else ""
    clause = read_clause(question, list(extract_passages("\n".join(texts))))
    if clause and clause.goes_first and clause.quotes:
        return [f"{join_cells(quote.sentence)} [{quote.n}]" for quote in clause.quotes]
    if clause and clause.is_exact and clause.names_paper:
        return []  # a line with a date says nothing of the term
    if (
        len(plan.aspects) == 1
        and (plan.general or "<passages>" in texts[0])
        and plan.aspects[0] is not WRITTEN
        and (quotes := find_labelled(question, list(extract_passages("\n".join(texts)))))
    ):
        return [f"{join_cells(quote.sentence)} [{quote.n}]" for quote in quotes]
    found = list(extract_passages("\n".join(texts)))
    if not plan.general and "<passages>" not in texts[0]:
        contexts = read_contexts(found)  # no document is called so: one may say it
        topic = extract_terms(plan.topic)
        found = [p for p in found if all(has_term(term, contexts[get_document_title(p)]) for term in topic)]
    return write_points(plan, found, before)


def _compose_overview(body: dict[str, Any], index: int, question: str, results: list[str]) -> list[str]:
    """Points about the record, about what "tell me about" names, or more than the answer before had."""
    found = [passage for passage in extract_passages("\n".join(results)) if passage.kind != FIELDS]
    if MORE.match(question):
        _, earlier = find_last_question(body["messages"][:index])
        said = find_last_answer(body["messages"][:index])
        points = choose_best_points(found, earlier)
        return [point for point in points if point.rpartition(" [")[0].removeprefix("- ") not in said]
    return choose_best_points(found, question) if OVERVIEW.search(question) else []


def find_best_answer(body: dict[str, Any], index: int, question: str, results: list[str]) -> Answered:
    """The best answer that the results of the searches give. Around the record counts a little more than elsewhere,
    and what stands elsewhere answers only a question whose words it has: "When is payment due?" asks about the record.
    """
    system = extract_text(body.get("system", ""))
    fields = list_own_fields(body, collect_results(body["messages"], index))
    near = list(extract_passages("\n".join(results[:1])))
    here = record_name(system)
    named = _find_document(body, question)
    if _plan_reading(body, index, question) is None:
        read = [result.text for result in collect_results(body["messages"], index) if result.name == READ]
        results = [*read, *results]
        # A common word may by chance be in the name of somebody else's document.
        own = [p for p in extract_passages("\n".join(read)) if read_record(p) == here or not (here and named.islower())]
        near = [*own, *near]
        if named and read and "<passages>" in read[0]:
            titles = {get_document_title(passage) for passage in extract_passages(read[0])}
            near = [
                p
                for p in near
                if get_document_title(p) in titles
                or set(extract_terms(named)) <= set(extract_terms(f"{p.title} {p.text}"))
            ]
    # A later search, for other words of the question, may come upon more of the record at hand.
    near += [p for p in extract_passages("\n".join(results)) if here and read_record(p) == here and p not in near]
    known = {passage.n for passage in near}
    found = [] if _is_about_record(body, index, question) else list(extract_passages("\n".join(results)))
    said = find_last_answer(body["messages"][:index]) if leans(question, fewer_than=4) else ""
    for asked in read_meanings(body, index, question):
        every = [p for p in found if p.n in known or bears_on(asked, p, found)] or near
        nearby, anywhere = (_answer_parts(asked, found, fields, said) for found in (near, every))
        if nearby.quotes and nearby.score >= anywhere.score - NEARNESS:
            return nearby
        if anywhere.quotes:
            return anywhere
    return Answered([])


def _is_about_record(body: dict[str, Any], index: int, question: str) -> bool:
    """Whether it asks of "it" or "them" and nothing was said before: the record at hand is meant."""
    return leans(question, fewer_than=6) and find_last_question(body["messages"][:index])[0] < 0


def _answer_parts(question: str, found: list[PromptPassage], fields: list[str], said: str) -> Answered:
    """Of "Who inspected it, and what was found?" both: the second part is about what the first one names.

    What was said before is not said again.
    """
    if sides := split_compared(question):
        return _answer_compared(question, sides, found, fields)
    first, *others = split_parts(question)
    answered = find_answer(first, found, fields)
    quotes = [q for q in answered.quotes if not q.n or join_cells(q.sentence) not in said] or list(answered.quotes)
    names = " ".join(re.findall(r"(?<!^)\b[A-Z][\w-]*(?:\s\d+)?", first))
    for part in others if quotes else ():
        quotes += find_answer(f"{part.rstrip('?')} {names}?", found, fields).quotes[:1]
    return Answered(list(dict.fromkeys(quotes)), answered.score)


def _answer_compared(question: str, sides: list[str], found: list[PromptPassage], fields: list[str]) -> Answered:
    """The sentence that compares, else the measure of each side; none where one of them is not found."""
    stated = find_answer(question, found, fields)
    if told := [quote for quote in stated.quotes if COMPARED.search(quote.sentence)]:
        return Answered(told, stated.score)
    measured = [find_answer(side, found, fields) for side in sides]
    quotes = list(dict.fromkeys(quote for side in measured for quote in side.quotes[:1]))
    only_of_one = set(extract_terms(sides[0])) ^ set(extract_terms(sides[-1]))
    if not all(side.quotes for side in measured) or (
        len(quotes) == 1 and not only_of_one <= set(extract_terms(quotes[0].sentence))
    ):
        return Answered([])  # one sentence for both, which names one of them
    return Answered(quotes, min(side.score for side in measured))
