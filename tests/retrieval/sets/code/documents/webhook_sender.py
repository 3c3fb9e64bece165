"""Deliver events to the web hooks of our customers.

A delivery that fails is tried again with growing pauses.  When all attempts
have been used up, the event goes to the dead letter table and the owner of
the hook gets a mail.
"""
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.request

MAX_ATTEMPTS = 6            # the first try counts as an attempt
FIRST_PAUSE = 2.0           # seconds
PAUSE_FACTOR = 3
LONGEST_PAUSE = 900.0       # seconds
RECEIVER_TIMEOUT = 8        # seconds we wait for the receiver

# These answers will not change by repeating, so we give up at once.
PERMANENT = {400, 401, 403, 404, 410, 422}


class DeliveryFailed(Exception):
    """All attempts were used up or the receiver refused for good."""


def sign(secret, body):
    """Value of the header X-Lumen-Signature."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return "v1=" + digest


def pause_before(attempt):
    """Seconds to wait before the given attempt (2 is the first repetition).

    The pause is multiplied by a random number between 0.8 and 1.2, so that
    many hooks of one receiver do not come back at the same moment.
    """
    base = min(FIRST_PAUSE * PAUSE_FACTOR ** (attempt - 2), LONGEST_PAUSE)
    return base * random.uniform(0.8, 1.2)


def post_once(url, body, signature):
    request = urllib.request.Request(url, data=body, method="POST")
    request.add_header("Content-Type", "application/json")
    request.add_header("X-Lumen-Signature", signature)
    with urllib.request.urlopen(request, timeout=RECEIVER_TIMEOUT) as answer:
        return answer.status


def deliver(hook, event, dead_letters, sleep=time.sleep):
    """Send one event; returns the number of attempts that were needed."""
    body = json.dumps(event, sort_keys=True).encode()
    signature = sign(hook["secret"], body)
    last = None
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if attempt > 1:
            sleep(pause_before(attempt))
        try:
            status = post_once(hook["url"], body, signature)
            if 200 <= status < 300:
                return attempt
            last = status
        except urllib.error.HTTPError as problem:
            last = problem.code
            if problem.code in PERMANENT:
                break
        except OSError as problem:
            last = str(problem)
    dead_letters.add(hook["id"], event, last)
    raise DeliveryFailed(f"hook {hook['id']}: {last}")
