"""What the clients for Python share: the fake provider's own two addresses."""

import json
import os
import urllib.request

URL = os.environ["FAKE_URL"]


def play(*replies):
    """Gives the server a new script."""
    body = json.dumps({"replies": list(replies)}).encode()
    request = urllib.request.Request(f"{URL}/__script", data=body, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def recorded():
    """What the server was asked since the last script."""
    with urllib.request.urlopen(f"{URL}/__requests") as answer:
        return json.load(answer)


def body(number=0):
    """The body of a request."""
    return json.loads(recorded()[number]["body"])
