"""Labels of short texts that are no paragraphs: messages and titles."""

from entities.access import Scope, combine_many
from entities.models.classification import STEWARDS
from ingestion.classify import Classifier, vote_by_model
from ingestion.documents import ParagraphText
from ingestion.extract import language
from ingestion.judging import join_votes
from ingestion.policy import load_policy
from ingestion.questions import build_typed_vote
from ingestion.votes import decide_atoms, is_judged
from ingestion.work import load_workspace_levels
from llm.client import is_labelling_offline
from llm.errors import ModelError

UNJUDGED = -1
"""In the place of a label: rules have found nothing in a text, and no model has said that there is nothing."""


def label_text(workspace: int, text: str, unjudged: int = 0) -> int | None:
    """The label of a short text, by rules and model, with no scope open. None when it could not be classified: hidden.
    unjudged: what is returned of one that nobody has judged; with stewards alone, what rules found joins their level
    where that is `UNJUDGED`.
    """
    scope = Scope.for_service(workspace)
    with scope.open():
        policy = load_policy()
        classifier = Classifier(workspace, load_workspace_levels(), policy.guidance, is_offline=is_labelling_offline())
    if not text.strip():
        return 0
    paragraph = ParagraphText(text, "text", None, (), (), language.guess_language(text), 0, len(text))
    by_rules = build_typed_vote(text)
    if by_rules is None:
        return None
    votes = [by_rules]
    try:
        votes += [vote for answer in vote_by_model([paragraph], classifier) for vote in answer.votes.values()]
    except ModelError:
        return None
    (joined,) = join_votes([votes], None, is_offline=classifier.is_offline, holds=policy.holds and unjudged == UNJUDGED)
    atoms = decide_atoms(joined, model_needed=True)
    if atoms is None:
        return None
    if not is_judged(joined):
        found = frozenset(atom for vote in joined if vote.held for atom in vote.labels)
        if not found:
            return unjudged
        atoms = found | {STEWARDS}
    with scope.open():
        return combine_many(atoms)
