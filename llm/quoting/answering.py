"""The offline engine's answers: the sentences of the passages that answer best, verbatim, with their numbers."""

import re
from dataclasses import replace

from llm.quoting.asked import (
    drop_place_words,
    extract_name_terms,
    has_places,
    name_line_of_minutes,
    normalise_wording,
)
from llm.quoting.choosing import choose_best
from llm.quoting.clauses import read_clause
from llm.quoting.definitions import find_definition
from llm.quoting.field_answers import Answered, Quote, quote_fields
from llm.quoting.form_answers import (
    find_address,
    find_alike_pairs,
    find_left_empty,
    find_pairs,
)
from llm.quoting.long_questions import (
    has_term,
    keep_content_terms,
    measure_term,
    merge_alternatives,
    merge_terms,
    trim_question,
)
from llm.quoting.measures import read_rates
from llm.quoting.opposites import is_opposed
from llm.quoting.pair_owners import find_owner, find_strangers
from llm.quoting.pairs import Pair, read_pairs
from llm.quoting.particulars import find_dates, has_dates
from llm.quoting.passage_fit import IMPLIED, is_about, is_loose, record_terms
from llm.quoting.question_kinds import QuestionKind, add_units, find_kind, read_deed
from llm.quoting.reading import FIELDS, PromptPassage, get_document_title, split_headings
from llm.quoting.roles import find_role, read_role
from llm.quoting.row_answers import find_rows
from llm.quoting.table_lookup import look_up
from llm.quoting.totals import TOTAL_OF, extract_total_terms, find_priced_lines, find_totals
from llm.quoting.units import Unit, announces_list, is_heading_at, is_table_head, list_nearby_terms, list_quotable
from text.rarity import compute_frequencies, weigh_rarest
from text.terms import extract_terms

# Share that the sentence must carry by its own words.
OWN = 0.25
WHICH_THING = re.compile(
    r"^\W*(?:which|what (?!(?:is|was|are|were|do|does|did|has|have|can|could|will|happen\w*)\b))", re.I
)
BEGINNING = re.compile(r"[\W\d]*(?:(?:no|not|the|any|all|every|each|an?|your|our)\s+)*[\w’'-]*", re.IGNORECASE)
"""Of a sentence what it is about: "No pets are allowed"."""
COMPARED = re.compile(r"\b(?:\w{2,}er|more|less) than\b", re.I)
AROUND_WEIGHT = 0.55
NAME_WEIGHT = 0.6
# A sentence under a heading that asks the question itself: "Why the permit is late".
HEADED = 0.6
LOOSE = 0.5
FITTING = 0.12
LINE_OF_FORM = 1.5
PAIR_SCORE = 1.0
"""Of an answer that a label names."""
UNDER_HEADING = 0.75


def answer(question: str, found: list[PromptPassage], fields: list[str] | None = None) -> list[Quote]:
    """The quotes of `find_answer`."""
    return find_answer(question, found, fields).quotes


def find_answer(question: str, found: list[PromptPassage], fields: list[str] | None = None) -> Answered:
    """The sentences that answer best. Each has what is asked for, and every name and number of the question stands in
    its passage, in the title above it, or among the fields of its record. Where there is none, what it says in other
    words is asked.
    """
    asked = read_clause(question, [passage for passage in found if passage.kind != FIELDS])
    if asked and asked.goes_first:
        return Answered(asked.quotes, PAIR_SCORE if asked.quotes else 0.0)
    answered = Answered([])
    for wording in dict.fromkeys((name_line_of_minutes(question), question, normalise_wording(question))):
        answered = _find_answer(wording, found, fields)
        if answered.quotes:
            break
    if asked and not (own := asked.keep_own(answered.quotes)):
        return Answered(asked.quotes, PAIR_SCORE) if asked.quotes else Answered([])
    return replace(answered, quotes=own) if asked else answered


def _find_answer(question: str, found: list[PromptPassage], fields: list[str] | None) -> Answered:
    full = trim_question(question)
    question = drop_place_words(full)
    merged = merge_alternatives(question)
    asked = list(dict.fromkeys(merged.get(term, term) for term in extract_terms(question)))
    kind, role = find_kind(question), find_role(question)
    rates = read_rates(question)
    implied = IMPLIED.union(kind.implied if kind else (), rates)
    labelled = [term for term in asked if kind and term in kind.label]
    asked = [term for term in asked if term not in implied] or labelled or asked
    if not asked:
        return Answered([])
    prose = [p for p in found if p.kind != FIELDS and has_places(full, "\n".join((*split_headings(p), p.text)))]
    units = [(p, s) for p in prose for s in list_quotable(p.text)]
    bags = [merge_terms(extract_terms(sentence), merged) for _, sentence in units]
    own_terms = {p.n: merge_terms(extract_terms(f"{p.title} {p.text}"), merged) for p in prose}
    passage_terms = {p.n: own_terms[p.n] | record_terms(p, found) for p in prose}
    names = extract_name_terms(question)
    # Who asks within a record about what the record is about need not find its name in every passage.
    about = set(extract_terms(" ".join(fields or [])))
    wanted = names - about
    asked = [term for term in asked if not (term in names and term in about)] or asked
    weights = _weigh_terms(asked, names, [list(bag) for bag in bags], set().union(*passage_terms.values()))
    asked = keep_content_terms(asked, names)
    total = sum(weights[term] for term in asked)
    dates = find_dates(question, kind)
    asked_thing = next(iter(asked), "") if kind is None and WHICH_THING.match(question) else ""
    if (lines := find_priced_lines(question, prose)) is not None:
        return _pair_quotes(question, lines) or Answered([])
    sum_of = extract_total_terms(question)
    scored: list[tuple[float, int]] = []
    for index, (passage, sentence) in enumerate(units):
        if is_heading_at(units, index) or sentence.rstrip().endswith("?") or is_table_head(units, index):
            continue
        title = set(extract_terms(get_document_title(passage)))
        if not title.issuperset(asked) and all(term in title or term.isdigit() for term in bags[index]):
            continue  # "Receipt 5521" says of the receipt what its name says
        if not is_about(passage, question, asked, weights, wanted, passage_terms[passage.n], own_terms[passage.n]):
            continue
        if not has_dates(dates, sentence) or sentence.endswith(":") and not announces_list(units, index):
            continue
        has = kind is None or kind.has(add_units(sentence), question)
        if kind is not None and kind.must and not has:
            continue
        if kind is not None and kind.line is not None and kind.line.match(sentence):
            # "Location: …" says only what it is; of what, its passage does.
            stands = all(measure_term(term, own_terms[passage.n]) for term in asked)
            scored += (
                [(LINE_OF_FORM, index)]
                if stands and (kind.must or not _has_reason_stated(asked, kind, question, units, bags))
                else []
            )
            continue
        near, above = list_nearby_terms(units, bags, index)
        common = [term for term in asked if term not in names]
        needed = common[-1:] if kind and kind.line and kind.must else common
        around = title if kind and kind.named else near
        stand = sum(measure_term(term, bags[index] | around | above) > 0 for term in needed)
        if (
            kind
            and (kind.named or kind.line and kind.must)
            and stand < (kind.named or 1) * len(needed)
            and not (kind.named < 1 and set(extract_terms(BEGINNING.match(sentence)[0])) & set(needed))  # type: ignore[index]
        ):
            continue  # where something is, says who names it
        if asked_thing not in bags[index] | above and measure_term(asked_thing, bags[index] | above):
            continue  # which car it is says no sentence about a vehicle
        if COMPARED.search(question) and not names <= bags[index]:
            continue  # that one is cheaper says nothing of another
        if kind and kind.whose and not wanted <= bags[index] | near | above | title:
            continue  # as in find_pairs
        if sum_of and TOTAL_OF.search(sentence) and not all(measure_term(term, bags[index]) for term in sum_of):
            continue  # the total of the north wing is none of the south wing
        if (
            kind is None
            and common
            and sentence[0] != "|"
            and not any(measure_term(term, bags[index] | above) for term in common)
        ):
            continue  # "Emergency contact: Bob Ray" says not what he does
        above |= set(extract_terms(passage.title.rpartition("), ")[2] if "), " in passage.title else ""))
        if role is not None and not _has_role(role, read_role(question), bags[index] | above, passage):
            continue
        loose = sum(weights[term] for term in asked if is_loose(term, question, sentence, bags[index]))
        own = (sum(weights[term] * measure_term(term, bags[index]) for term in asked) - loose) / total
        headed = (
            sum(weights[term] * max(measure_term(term, bags[index]), measure_term(term, above)) for term in asked)
            / total
        )
        if own < OWN and not (headed >= HEADED and (has or kind and kind.loose)):
            continue
        in_passage = passage_terms[passage.n]
        score = (
            sum(
                weights[t] * (measure_term(t, bags[index]) or _measure_nearness(t, t in names, near, in_passage))
                for t in asked
            )
            / total
        )
        if headed >= HEADED:
            score = max(score, UNDER_HEADING * headed)
        score -= LOOSE * loose / total
        fitting = 0.0 if kind is None else FITTING if has else -0.08
        short = -0.1 if len(sentence) < 25 and fitting <= 0 else 0.0
        scored.append((score + fitting + short, index))
    best = max(scored, default=None, key=lambda pair: pair[0])
    opposed = {index for _, index in scored if is_opposed(question, units[index][1])}
    # Where the best is opposed, another sentence answers if it has all that the best has.
    in_best = bags[best[1]].intersection(asked) if best and best[1] in opposed else set()
    scored = [(score, index) for score, index in scored if index not in opposed and in_best <= bags[index]]
    deed = read_deed(question)
    if deed and any(has_term(deed, set(bag)) for bag in bags):
        scored = [
            (score, index)
            for score, index in scored
            if has_term(deed, set(bags[index]) | list_nearby_terms(units, bags, index)[1])
        ]
    if rates:  # a price per week is none per month, nor is what says less of it
        stated = {index: read_rates(units[index][1]).difference(asked) for _, index in scored}
        other = max((score for score, index in scored if stated[index] and not rates & stated[index]), default=0.0)
        scored = [(score, index) for score, index in scored if score + FITTING * bool(rates & stated[index]) > other]
    empty = find_left_empty(asked, prose)
    strange = {(pair.n, pair.text) for pair in find_strangers(question, prose)}
    scored = [
        (score, index)
        for score, index in scored
        if not any(n == units[index][0].n and text in units[index][1] for n, text in strange)
        and (units[index][0].n not in empty or not _is_pair(*units[index]))
    ]
    return (
        quote_fields(question, asked, fields or [], prose, found)
        or _pair_quotes("", find_definition(question, units))
        or _pair_quotes("", find_owner(question, wanted, prose) or find_rows(question, asked, wanted, prose))
        or _pair_quotes(question, find_address(question, wanted, prose))
        or _pair_quotes(question, find_pairs(question, list(dict.fromkeys([*labelled, *asked])), wanted, kind, prose))
        or _pair_quotes(question, look_up(full, kind, prose, strict=True))
        or choose_best(scored, units, bags, question)
        or _pair_quotes(question, find_totals(question, asked, prose))
        or _pair_quotes(question, find_alike_pairs(question, wanted, kind, prose))
        or _pair_quotes(question, look_up(full, kind, prose))
        or Answered([])
    )


def _has_reason_stated(
    asked: list[str], kind: QuestionKind, question: str, units: list[Unit], bags: list[set[str]]
) -> bool:
    """Whether one sentence has all that is asked and what is asked for: it gives the reason itself."""
    return any(
        kind.has(sentence, question) and all(measure_term(term, bag) for term in asked)
        for (_, sentence), bag in zip(units, bags, strict=True)
        if kind.line is None or not kind.line.match(sentence)
    )


def _has_role(role: str, word: str, bag: set[str], passage: PromptPassage) -> bool:
    """Whether a text names a role: an insurer is no insurance, though their stems are one."""
    named = role not in bag or word.lower().removesuffix("s") in f"{passage.title} {passage.text}".lower()
    return named and bool(measure_term(role, bag))


def _is_pair(passage: PromptPassage, sentence: str) -> bool:
    return any(pair.value for pair in read_pairs(replace(passage, text=sentence)))


def find_labelled(question: str, found: list[PromptPassage]) -> list[Quote]:
    """The pairs of a label and a value alone that answer."""
    question = trim_question(question)
    kind, names = find_kind(question), extract_name_terms(question)
    said = IMPLIED | (kind.implied if kind else frozenset())
    asked = [term for term in extract_terms(question) if term not in said]
    pairs = find_pairs(question, asked, names, kind, [p for p in found if p.kind != FIELDS]) if asked else []
    return [Quote(pair.text, pair.n) for pair in pairs]


def _pair_quotes(question: str, pairs: list[Pair]) -> Answered | None:
    """The pairs that do not say the opposite of the question, "" where that has been asked; None without any pair."""
    quotes = [Quote(pair.text, pair.n) for pair in pairs if not is_opposed(question, pair.text)]
    return Answered(quotes, PAIR_SCORE if quotes else 0.0) if pairs else None


def _weigh_terms(asked: list[str], names: set[str], units: list[list[str]], present: set[str]) -> dict[str, float]:
    """Rare words weigh more. A name that no passage knows weighs most: the answer would be about somebody else."""
    inverse = compute_frequencies(units)
    unknown = weigh_rarest(len(units))
    weights = {term: max(0.3, inverse.get(term, unknown)) for term in asked}
    for name in names & weights.keys():
        weights[name] *= 0.8 if name in present else 1.3
    return weights


def _measure_nearness(term: str, is_name: bool, near: set[str], passage: set[str]) -> float:
    """How much of it stands around the sentence. Documents name their subject once, so a name counts from afar."""
    if is_name and term in passage:
        return NAME_WEIGHT
    if term in near:
        return AROUND_WEIGHT
    return AROUND_WEIGHT / 2 if term in passage else 0.0
