"""Requests for access and links between files, in the database."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Model

from entities.models import Membership
from ingestion.link_targets import Wanted
from ingestion.models import AccessMessage, AccessRequest, DocumentLink, Paragraph
from tests.oracle.worlds import Planted


def message_on(record: str) -> str:
    return f"Why I ask of {record}."


def plant_requests(planted: Planted, files: Mapping[str, UUID]) -> dict[tuple[str, str], UUID]:
    """Everybody's about each record, from when they could see it: about the first passage of its file, and with a
    message that has the passage's label. By person and record.
    """
    world, at = planted.world, {"workspace_id": planted.workspace.pk}
    made, messages = {}, []
    with planted.service.open():
        paragraphs = dict(Paragraph.objects.values_list("text", "pk"))
        members = dict(Membership.objects.values_list("user", "pk"))
        for person in world.people:
            requester = planted.users[person.name].pk
            for record in world.records:
                text, *_ = [*world.paragraphs(record.name), None]
                request = made[person.name, record.name] = AccessRequest(
                    **at, requester=requester, membership_id=members[requester], atoms=[1], has_message=True,
                    entity_id=planted.records[record.name], file_id=files[record.name] if text else None,
                    passage=paragraphs[text.words] if text else None,
                )  # fmt: skip
                label = None if text and text.label is None else planted.label(text.label if text else frozenset())
                messages.append(
                    AccessMessage(**at, request=request, requester=requester, text=message_on(record.name),
                                  data_classification=label)
                )  # fmt: skip
        AccessRequest.objects.bulk_create(made.values())
        AccessMessage.objects.bulk_create(messages)
    return {key: request.pk for key, request in made.items()}


def plant_links(planted: Planted, files: Mapping[str, UUID]) -> None:
    """From every passage to the file of the next record that has one, around."""
    names = list(files)
    following = dict(zip(names, [*names[1:], *names[:1]], strict=True))
    with planted.service.open():
        paragraphs: dict[str, Model] = {p.text: p for p in Paragraph.objects.all()}
        DocumentLink.objects.bulk_create(
            DocumentLink(
                workspace=planted.workspace, file_id=files[name], paragraph=paragraphs[text.words], position=n,
                data_classification=None if text.label is None else planted.label(text.label),
                target="next", words=text.words, wanted=Wanted.FILE, key=str(files[following[name]]),
            )
            for name in names
            for n, text in enumerate(planted.world.paragraphs(name))
        )  # fmt: skip
