"""A file goes to another folder of its record. Its text and versions stay as they are; its name needs what rules find
in that of the folder too.
"""

from django.utils.translation import gettext

from entities.access import Scope, is_readable
from entities.actions import record_action
from ingestion.access import hold_or_404, lock_name, select_readable_files, select_visible_files
from ingestion.errors import BadUpload
from ingestion.models import File
from ingestion.name_labels import add_name_atoms, find_path_atoms
from ingestion.names import BadPath, clean_path
from ingestion.signals import document_moved


def move_file(*, scope: Scope, file: File, folder: str) -> bool:
    """Put a file, got with the verb "upload", into `folder` ("/travel/visas"; "" or "/" is the top). Returns whether it
    stood elsewhere before. Links that name its new path lead to it from now on, those that name the old one do not.

    Raises: BadUpload for a path that is none, for what came in a message, for a file whose name the caller may not
    read, where one of that name stands already that they may read, and where rules took too long; Http404 where it was
    deleted meanwhile.
    """
    lock_name(scope, file.entity_id, file.collection, file.name)
    now = hold_or_404(file)
    if not is_readable(now.name_classification):
        raise BadUpload(gettext("You may not read the name of this file, so you cannot move it."), "name_not_readable")
    if now.origin_id is not None:
        raise BadUpload(gettext("This file came in a message and stays with it. Move the message."), "attachment")
    try:
        path = clean_path(f"/{folder}/{now.name}", now.name)
    except BadPath as refusal:
        raise BadUpload(str(refusal), "bad_path") from None
    if path == f"/{now.name}" and "/" not in now.path:
        path = now.path
    if path == now.path:
        return False
    if find_readable_at(scope, now, path):
        raise BadUpload(
            gettext("There is already a file “%(name)s” in that folder.") % {"name": now.name}, "name_taken"
        )
    before = now.path
    found = find_path_atoms(path)
    if found is None:
        raise BadUpload(gettext("The name of this folder could not be read in time. Try again."), "not_judged")
    if found:
        add_name_atoms(now, found, path=path)
    else:
        File.objects.filter(pk=now.pk).update(path=path)
    record_action(scope, "file.moved", "file", now.pk, entity=str(now.entity_id))
    document_moved.send(File, workspace=scope.workspace, file_id=now.pk, path_before=before)
    return True


def find_readable_at(scope: Scope, file: File, path: str) -> bool:
    """Whether another file of this name stands at `path` of its record that the caller may read. One that they may not
    does not count: a refusal or another place would tell of it.
    """
    same = select_visible_files(scope).filter(
        entity=file.entity_id, collection=file.collection, name=file.name, path=path, origin=None, deleted_at=None
    )
    others = select_readable_files(scope, same.exclude(pk=file.pk))
    return any(is_readable(other.name_classification) for other in others)
