"""One summary per label at the end, of what the windows said (design §4, Classify): one call for each label of a file.

The model is given text of that label alone: the sentences that its windows' summaries kept, and the openings of its
paragraphs. What it says is kept only where its words stand in paragraphs of that label (`summaries`). A summary is no
label: where the model fails, what the windows said serves, and the file goes on.
"""

import logging
from collections.abc import Callable, Mapping, Sequence

from ingestion.classify import Classifier
from ingestion.summaries import summarise_paragraphs
from llm import prompts
from llm.client import Call, complete
from llm.errors import ModelError
from text.sentences import split_sentences

logger = logging.getLogger(__name__)

MOST = 8_000  # characters that one call is given
OPENING = 400  # of each paragraph

Ask = Callable[[Classifier, Sequence[str]], str]


def ask_model(classifier: Classifier, excerpts: Sequence[str]) -> str:
    """Raises: llm.errors.ModelError."""
    prompt = prompts.build_summary_prompt(excerpts)
    return complete(Call(classifier.workspace, 0, "summarise", "fast", classifier.is_offline), **prompt.request).text


def summarise_labels(
    classifier: Classifier,
    texts: Mapping[int, Sequence[str]],
    proposed: Mapping[int, Sequence[str]],
    done: Mapping[int, Sequence[str]],
    keep: Callable[[int, Sequence[str]], None],
    ask: Ask = ask_model,
) -> dict[int, list[str]]:
    """label → sentences, for the labels of `proposed`.

    texts: label → running texts. done: what was made before an interruption; `keep` hears of each new one. Labels may
    have been decided upon since: of what was made stays what is drawn from text that has that label now.
    """
    made: dict[int, list[str]] = {}
    for label, known in proposed.items():
        if label in done:
            made[label] = _select_supported(label, [*done[label], *known], texts) or list(known)
            continue
        try:
            said = split_sentences(ask(classifier, build_excerpts(known, texts.get(label, ()))))
        except ModelError:
            logger.warning("no summary of a label was made; the windows' serve", exc_info=True)
            made[label] = list(known)
            continue
        made[label] = _select_supported(label, [*said, *known], texts) or list(known)
        keep(label, made[label])
    return made


def _select_supported(label: int, said: Sequence[str], texts: Mapping[int, Sequence[str]]) -> list[str]:
    """The sentences that stand in texts of that label; [] where there are none."""
    return summarise_paragraphs({label: texts.get(label, ())}, {label: said}).get(label, [])


def build_excerpts(known: Sequence[str], texts: Sequence[str]) -> list[str]:
    """What the windows said, then the openings of the paragraphs, as far as there is room."""
    chosen: list[str] = []
    room = MOST
    for text in dict.fromkeys([*known, *(text[:OPENING] for text in texts)]):
        if len(text) > room:
            break
        chosen.append(text)
        room -= len(text)
    return chosen
