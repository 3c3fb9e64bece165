"""What stands in the place of a name that a reader is not cleared for, on pages, in prompts and exports."""

from django.utils.translation import gettext

from entities.access.labels import list_missing_atoms, load_concealed_atoms, load_levels
from entities.access.scope import has_open_scope
from entities.language import join_words, translate_level, translate_stored


def list_disclosed_atoms(label: int | None) -> tuple[int, ...]:
    """What the open scope lacks to read a name with that label; () where it may not hear of one of these."""
    missing = () if label is None else list_missing_atoms(label)
    return () if load_concealed_atoms().intersection(missing) else missing


def write_hidden_name(kind: object, label: int | None) -> str:
    """ "Risk, needs Confidential", in the language of who asks. kind: what has the name, as it was declared. It names
    no level of which the open scope may not hear, and none outside of one.
    """
    title = translate_stored(str(kind).capitalize())
    atoms = list_disclosed_atoms(label) if has_open_scope() else ()
    if not atoms:
        return gettext("%(kind)s (name not cleared)") % {"kind": title}
    levels = join_words([translate_level(load_levels()[atom].label) for atom in atoms])
    return gettext("%(kind)s, needs %(levels)s") % {"kind": title, "levels": levels}
