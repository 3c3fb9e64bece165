"""Files that somebody drops into a conversation: read for them alone, searched there, and gone with it."""

from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction

from chat.models import Session
from entities.access import grant_entity
from entities.access.scope import OWN
from entities.models import Entity, Role
from entities.models.entity import ATTACHED, Visibility
from ingestion.inline import process_all_waiting
from ingestion.models import Blob, ContextRow, File, Paragraph
from tests.chat.conftest import Chat

BRIEF = b"# Brief\n\nThe kestrel clause of the brief ends in June.\n"
CLAUSE = "The kestrel clause of the brief ends in June."


def begin(who, **given):
    answer = who.api.post("/api/chat/sessions/", given)
    assert answer.status_code == 201, answer.content
    return Chat(who, answer.json()["id"])


def send(chat, name="brief.md", content=BRIEF, **more):
    body = {"file": SimpleUploadedFile(name, content), **more}
    return chat.who.api.post(f"{chat.url}attachments/", body, format="multipart")


def attach(chat, name="brief.md", content=BRIEF):
    """Drops a file and has it read; its id."""
    answer = send(chat, name, content)
    assert answer.status_code == 202, answer.content
    process_all_waiting(chat.who.scope.workspace)
    (shown,) = [one for one in list_of(chat) if one["id"] == answer.json()["id"]]
    assert shown["state"] == "ready", shown
    return shown["id"]


def list_of(chat):
    return chat.who.api.get(f"{chat.url}attachments/").json()["results"]


def look(model, text="In June [1].", **asked):
    model.says(tool_use=("search_knowledge", {"query": "kestrel clause", **asked}))
    model.says(text=text)


def count_rows(service, pk):
    """Rows of a file that are left, and whether its bytes are."""
    with service.open():
        rows = [model.objects.filter(file=pk).count() for model in (Paragraph, ContextRow)]
        blobs = [blob.path for blob in Blob.objects.all() if default_storage.exists(blob.path)]
        return [File.objects.filter(pk=pk).count(), *rows, len(blobs)]


def test_a_file_is_read_and_searched_in_its_conversation_and_nowhere_else(
    viewer, alice, contract, index, model, service
):
    chat, elsewhere = begin(viewer, entity=str(contract.pk)), begin(viewer)
    file = attach(chat)
    again = send(chat).json()
    assert (again["id"], again["state"], len(list_of(chat))) == (file, "ready", 1), "the same bytes are the same file"
    assert list_of(elsewhere) == []
    index.row(contract, "The kestrel clause of the lease ends in May.", vector=False)

    for look_in, both in (("", True), ("files", False), ("record", True)):
        look(model)
        turn = chat.ask("When does the kestrel clause end?", look_in=look_in)
        assert turn["state"] == "done", turn
        given = model.requests[-1].text
        assert (CLAUSE in given, "of the lease ends in May" in given) == (True, both), look_in
    page = viewer.client.get(f"{viewer.base}chat/{chat.session}/").content.decode()
    assert "files that you attached." in page
    assert "brief.md" in page
    assert "has attached files" in model.requests[-1].text
    # What the documents say on the whole, also where the conversation is about no record.
    model.says(tool_use=("read_documents", {}))
    model.says(text="It ends in June [1].")
    chat.ask("What is this about?")
    assert CLAUSE in model.requests[-1].text
    # A citation leads into the reader, and back to the conversation.
    turn = chat.turn(turn["id"])
    cited = viewer.api.get(f"/api/citations/{turn['message']['id']}/1/").json()
    assert cited["source"]["file"]["id"] == file
    reader = viewer.client.get(f"{viewer.base}files/{file}/")
    assert CLAUSE in reader.content.decode()
    assert f"/chat/{chat.session}/" in reader.content.decode()
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 200

    # Another conversation of the same person does not find it, and mentions it no more than what is not there.
    look(model, "Well.", scope="workspace")
    elsewhere.ask("When does the kestrel clause end?")
    assert "of the lease ends in May" in model.requests[-1].text
    assert CLAUSE not in model.requests[-1].text
    assert "has attached files" not in model.requests[-1].text
    for mentioned in (file, str(uuid4())):
        refused = viewer.api.post(f"{elsewhere.url}messages/", {"content": "And?", "files": [mentioned]})
        assert refused.status_code == 400
    # Nor is it anywhere else, for its sender and for who administers and decides on labels.
    with service.open():
        record = Entity.objects.get(attached_to=chat.session)
    for who in (viewer, alice):
        for path in ("search/?q=kestrel", f"search/?q=kestrel&file={file}", f"search/?q=kestrel&entity={record.pk}",
                     "suggest/?q=brie", "suggest/?q=kestr", "types/", "bin/", "me/"):  # fmt: skip
            told = who.api.get(f"/api/{path}").content.decode()
            assert "brief" not in told, (who.user, path)
            assert str(record.pk) not in told, (who.user, path)
        for path in ("", "search/?q=kestrel", "chat/mentions/?q=brie", "chat/mentions/?q=attach", "files/jobs/",
                     f"entities/{contract.pk}/", f"entities/{contract.pk}/files/", f"entities/{record.pk}/",
                     f"entities/{record.pk}/files/", f"files/{file}/versions/", "bin/"):  # fmt: skip
            page = who.client.get(f"{who.base}{path}").content.decode()
            assert "brief.md" not in page, (who.user, path)
        absent = who.api.get(f"/api/entities/{uuid4()}/files/")
        assert who.api.get(f"/api/entities/{record.pk}/files/").content == absent.content
    for path in ("desk/", "quarantine/", "access-requests/", "audit/"):
        assert "brief" not in alice.api.get(f"/api/{path}").content.decode(), path
    with viewer.scope.open():
        assert not Entity.objects.visible_to(viewer.scope).filter(pk=record.pk).exists()
    for theirs in (alice.scope.with_attachments(OWN), alice.scope.with_attachments(chat.session)):
        with theirs.open():
            assert not Entity.objects.visible_to(theirs).filter(pk=record.pk).exists()
    for path in (f"/api/files/{file}/", f"/api/files/{file}/reader/", f"/api/files/{file}/download/"):
        answer = alice.api.get(path)
        assert (answer.status_code, answer.content) == (404, alice.api.get(path.replace(file, str(uuid4()))).content)
    assert viewer.api.delete(f"/api/files/{file}/").status_code == 403, "it goes by its conversation's door"
    # Other bytes of that name are another file; once they are removed, nothing says that there was one.
    other = attach(chat, content=b"Another paper.\n")
    assert {one["id"] for one in list_of(chat)} == {file, other}
    assert CLAUSE in viewer.client.get(f"{viewer.base}files/{file}/").content.decode()
    for pk in (file, other):
        assert viewer.api.delete(f"{chat.url}attachments/{pk}/").status_code == 204
    model.says(text="Well.")
    chat.ask("And now?")
    assert "has attached files" not in model.requests[-1].text


def test_others_who_read_along_are_told_nothing(viewer, staff, alice, contract, index, share, model):
    chat = share(viewer, contract)
    file = attach(chat)
    index.row(contract, "The kestrel clause of the lease ends in May.", vector=False)
    others = [Chat(who, chat.session) for who in (staff, alice)]
    look(model, "It ends in June [1].", scope="record")
    turn = chat.ask("When does the kestrel clause end?")
    assert CLAUSE in model.requests[-1].text
    assert "attached" not in model.requests[-1].text, "an answer could repeat that"
    assert turn["message"]["content"] == "It ends in June [citation:1]."
    for other in others:
        assert list_of(other) == []
        (question,) = other.messages()
        assert question["content"] == "When does the kestrel clause end?"
        told = [
            other.who.api.get(f"{chat.url}export/"),
            other.who.api.get(f"/api/chat/turns/{turn['id']}/"),
            other.who.api.get(f"/api/chat/turns/{turn['id']}/context/"),
            other.who.client.get(f"{other.who.base}chat/{chat.session}/"),
            other.who.api.get("/api/chat/sessions/?q=June"),
            other.who.api.get(f"/api/citations/{turn['message']['id']}/1/"),
            other.who.api.get(f"/api/files/{file}/"),
            other.who.api.delete(f"{chat.url}attachments/{file}/"),
        ]
        assert [answer.status_code for answer in told] == [200, 200, 200, 200, 200, 404, 404, 404]
        text = " ".join(answer.content.decode() for answer in told)
        assert not any(word in text for word in ("June", "brief", "that you attached", str(file))), text
    # Another's prompt has neither the file nor what was drawn from it; their own file is theirs.
    other = others[0]
    own = attach(other, "other.md", b"The kestrel clause of the other paper ends in July.\n")
    look(model, "It ends in July [1].", scope="workspace")
    other.ask("And the kestrel clause now?")
    assert "paper ends in July" in model.requests[-1].text
    assert "June" not in model.requests[-1].text
    assert [one["id"] for one in list_of(other)] == [own]
    assert [one["id"] for one in list_of(chat)] == [file]
    assert "July" not in str(chat.messages())
    # An answer that drew nothing from it is read by all, and does not say that there was more to look in.
    fresh = share(viewer, None)
    assert send(fresh).status_code == 202
    for _ in range(2):  # before the file has been read and after
        model.says(tool_use=("read_documents", {"fields": True}))
        model.says(text="Sunny.")
        fresh.ask("How is the weather?")
        assert "about no record" in model.requests[-1].text
        process_all_waiting(viewer.scope.workspace)
    page = staff.client.get(f"{staff.base}chat/{fresh.session}/").content.decode()
    assert page.count("Sunny.") == 2
    assert "that you attached" not in page
    looked = share(viewer, contract)
    attach(looked, "zebra.md", b"Zebras graze on the savanna.\n")
    look(model, "It ends in May [1].", scope="record")
    looked.ask("When does the kestrel clause end?")
    pages = [who.client.get(f"{who.base}chat/{looked.session}/").content.decode() for who in (viewer, staff)]
    assert ["ends in May" in page for page in pages] == [True, True]
    assert ["that you attached" in page for page in pages] == [True, False]
    # A name of what is attached elsewhere, typed here, hangs on nothing there.
    private = begin(viewer)
    attach(private, "draft.md")
    model.says(text="Well.")
    assert fresh.ask("Compare with @draft.md please")["state"] == "done"
    assert viewer.api.delete(private.url).status_code == 204
    assert "@draft.md" in str(Chat(staff, fresh.session).messages())


def test_what_is_removed_takes_what_was_drawn_from_it(viewer, staff, contract, share, model, service):
    private, shared = begin(viewer), share(viewer, contract)
    files = [attach(chat) for chat in (private, shared)]
    turns = []
    for chat in (private, shared):
        look(model)
        turns.append(chat.ask("When does the kestrel clause end?"))
    for chat, file in zip((private, shared), files, strict=True):
        assert viewer.api.delete(f"{private.url}attachments/{uuid4()}/").status_code == 404
        assert viewer.api.delete(f"{chat.url}attachments/{file}/").status_code == 204
        assert viewer.api.get(f"/api/files/{file}/").status_code == 404
        assert "June" not in str(chat.messages())
    assert private.turn(turns[0]["id"])["removed_with_source"] is True
    page = viewer.client.get(f"{viewer.base}chat/{private.session}/").content.decode()
    assert "Removed with a source" in page
    for who in (viewer, staff):  # it would tell the others that there was a source
        assert Chat(who, shared.session).turn(turns[1]["id"])["removed_with_source"] is False
    assert [count_rows(service, file) for file in files] == [[0, 0, 0, 0]] * 2, "bytes included"


def test_it_goes_with_its_conversation(viewer, alice, contract, share, model, service):
    about, private = begin(viewer, entity=str(contract.pk)), begin(viewer)
    kept, gone = attach(about), attach(private)
    look(model)
    about.ask("When does the kestrel clause end?")
    # With its record into the bin, and back.
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/").status_code == 204
    assert viewer.api.get(f"/api/files/{kept}/").status_code == 404
    assert viewer.api.get(f"/api/files/{gone}/").status_code == 200
    assert "brief" not in alice.client.get(f"{alice.base}bin/").content.decode()
    assert alice.api.post(f"/api/bin/{contract.pk}/restore/").status_code == 204
    assert viewer.api.get(f"/api/files/{kept}/").status_code == 200
    assert "In June" in str(about.messages())
    process_all_waiting(service.workspace)
    with service.open():
        assert not ContextRow.objects.filter(entity__attached_to__isnull=False, file=None).exists()
    # With the conversation for good: another file of the same bytes stays.
    assert viewer.api.delete(private.url).status_code == 204
    assert count_rows(service, gone) == [0, 0, 0, 1]
    assert count_rows(service, kept)[0] == 1
    # With its record, and with its role.
    assert alice.api.delete(f"/api/entities/contract/{contract.pk}/?forever=1").status_code == 204
    ours = share(viewer, None, "role viewer role")
    theirs = attach(ours)
    with service.open():
        Role.objects.get(name="viewer role").delete()
        assert not Entity.objects.filter(attached_to__isnull=False).exists()
        assert not File.objects.filter(pk__in=[kept, theirs]).exists()


def test_the_database_keeps_it_where_it_is(viewer, staff, alice, contract, service):
    chat, other = begin(viewer), begin(viewer)
    attach(chat)
    with service.open():
        record = Entity.objects.get(attached_to=chat.session)
        assert (record.visibility, record.created_by) == (ATTACHED, viewer.user.pk)
        for values in (
            {"visibility": Visibility.WORKSPACE},
            {"attached_to": None},
            {"attached_to": other.session},
            {"created_by": staff.user.pk},
        ):
            with pytest.raises(DatabaseError), transaction.atomic():
                Entity.objects.filter(pk=record.pk).update(**values)
        for values in ({"visibility": ATTACHED}, {"attached_to": chat.session}):
            with pytest.raises(DatabaseError), transaction.atomic():
                Entity.objects.filter(pk=contract.pk).update(**values)
        grant_entity(record, staff.user.pk)
        grant_entity(record, viewer.user.pk)
    found = staff.scope.with_attachments(chat.session)
    with found.open():
        assert not Entity.objects.visible_to(found).filter(pk=record.pk).exists(), "no grant gives it"
    mine = viewer.scope.with_attachments(chat.session)
    with mine.open():
        assert Entity.objects.visible_to(mine).filter(pk=record.pk).exists()
        assert not Entity.objects.visible_to(mine, "share").filter(pk=record.pk).exists()
    for scope in (viewer.scope, viewer.scope.with_attachments(other.session)):
        with scope.open():
            assert not Entity.objects.visible_to(scope).filter(pk=record.pk).exists()
    # The setting is the transaction's.
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('app.attachments', true)")
        assert cursor.fetchone()[0] in (None, "")
    assert Session.objects.count() == 0


def test_a_refused_file_says_why_and_begins_nothing(viewer, contract, settings):
    settings.CLEARANCE_MAX_UPLOAD = 1_000
    chat = begin(viewer)
    assert send(chat, content=b"").status_code == 422
    assert send(chat, content=b"x" * 2_000).status_code == 413
    assert viewer.api.post(f"{chat.url}attachments/", {}, format="multipart").status_code == 400
    assert viewer.api.post(f"/api/chat/sessions/{uuid4()}/attachments/", {}, format="multipart").status_code == 404
    page, head = f"{viewer.base}entities/{contract.pk}/chat/attach/", {"HTTP_HX_REQUEST": "true"}
    refused = viewer.client.post(page, {"file": SimpleUploadedFile("empty.md", b"")}, **head)
    assert (refused.status_code, "empty.md: " in refused.content.decode()) == (422, True)
    assert viewer.api.get(f"/api/chat/sessions/?entity={contract.pk}").json()["count"] == 0
    plain = viewer.client.post(page, {"file": SimpleUploadedFile("empty.md", b"")})
    assert plain.status_code == 302
    assert viewer.api.get(f"/api/chat/sessions/?entity={contract.pk}").json()["count"] == 0
    # Of several, one that is refused does not stop the others; the conversation begins with them.
    both = [SimpleUploadedFile("empty.md", b""), SimpleUploadedFile("brief.md", BRIEF)]
    taken = viewer.client.post(page, {"file": both, "visibility": "record"}, **head)
    assert taken.status_code == 202
    assert all(text in taken.content.decode() for text in ("brief.md", "empty.md: ", "reading …", 'id="chat-keys"'))
    (session,) = viewer.api.get(f"/api/chat/sessions/?entity={contract.pk}").json()["results"]
    assert session["visibility"] == "record"
    process_all_waiting(viewer.scope.workspace)
    chips = viewer.client.get(f"{viewer.base}chat/{session['id']}/attachments/", **head).content.decode()
    assert "ready" in chips
    assert "delay:2s" not in chips
    path = chips.split('action="')[1].split('"')[0]
    after = viewer.client.post(path, **head)
    assert (after.status_code, "brief.md" in after.content.decode()) == (200, False)
