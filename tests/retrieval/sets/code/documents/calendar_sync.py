"""Two-way synchronisation between the room calendar and CalDAV.

The room calendar is the master for rooms, the personal calendar is the
master for titles.  Conflicts in time are settled in favour of the event that
was created earlier.
"""
from datetime import datetime, timedelta, timezone

LOOK_BACK = timedelta(days=14)
LOOK_AHEAD = timedelta(days=180)
CLOCK_SKEW = timedelta(seconds=90)
PRIVATE_TITLE = "Busy"

# The sync token of the server is thrown away after this time and a complete
# comparison is made, because some servers forget deletions.
TOKEN_LIFE = timedelta(days=6)


def window(now=None):
    now = now or datetime.now(timezone.utc)
    return now - LOOK_BACK, now + LOOK_AHEAD


def is_newer(left, right):
    """True when left was changed after right, allowing for clock skew."""
    return left["modified"] - right["modified"] > CLOCK_SKEW


def public_copy(event):
    """Private events appear in the room calendar without title and guests."""
    copy = dict(event)
    if event.get("class") == "PRIVATE":
        copy["title"] = PRIVATE_TITLE
        copy["guests"] = []
        copy.pop("description", None)
    return copy


def settle(first, second):
    """Decide between two events that want the same room at the same time."""
    winner, loser = sorted((first, second), key=lambda e: (e["created"], e["uid"]))
    loser = dict(loser, room=None, status="TENTATIVE")
    return winner, loser


def token_valid(state, now):
    fetched = state.get("token_fetched")
    return fetched is not None and now - fetched < TOKEN_LIFE


def sync(room_side, personal_side, state, now=None):
    """Run once.  Returns the numbers of events written to each side."""
    now = now or datetime.now(timezone.utc)
    start, end = window(now)
    token = state["token"] if token_valid(state, now) else None
    changes, new_token = personal_side.changes(token, start, end)
    to_room = to_person = 0
    for event in changes:
        other = room_side.get(event["uid"])
        if other is None or is_newer(event, other):
            room_side.put(public_copy(event))
            to_room += 1
        elif is_newer(other, event):
            personal_side.put(dict(event, room=other["room"]))
            to_person += 1
    state["token"] = new_token
    if token is None:
        state["token_fetched"] = now
    return to_room, to_person
