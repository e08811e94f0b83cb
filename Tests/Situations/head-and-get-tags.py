"""HEAD and GET are always answered with different tags: strong and weak ones of one text, other texts, none."""

from lib.checks import *
from lib.origin import *

body = content(300_000)
right = body[100_000:101_000]


def tagged(of_head, of_get):
    def answer(request, send):
        request.fields.pop("if-match", None)
        return honest(request, send, body, tag=of_head if request.method == "HEAD" else of_get)

    return Origin(answer)


for of_head, of_get in [
    ('"abc"', 'W/"abc"'), ('W/"abc"', '"abc"'), ('"abc"', '"xyz"'), (None, '"xyz"'), ('"abc"', None),
    ("0x8DBF8FC4B60E2E7", "0x8DBF8FC4B60E2E7"), ('"9b2cf535f27731c974343645a3985328-38"',) * 2,
]:
    words = f"HEAD {of_head}, GET {of_get}"
    origin = tagged(of_head, of_get)
    check_bytes(f"{words}: the tool reads", tool("read", origin.url(), "--range", "100000-100999"), right)
    check("… by one request", len(origin.taken()) == 1)
    for ways in [], ["head"], ["refresh"], ["head", "refresh"], ["head", "byTime"]:
        parts = reads(*ways, origin.url(), "--", *["100000:1000"] * 3)
        requests = origin.taken()
        what = f"{words}: three reads of a reader with {' and '.join(ways) or 'defaults'}"
        if ways == ["head"] and of_head == '"abc"':
            # What it opened never comes, as after a change.
            codes = {part.code for part in parts}
            check(f"{what} fail", codes <= {"sourceChanged", "invalidResponse"} and len(codes) == 1, shown(parts))
        elif ways == ["head", "refresh"] and of_get is None:
            check(f"{what} read, or fail", parts and all(part.bytes in (right, None) for part in parts), shown(parts))
        else:
            check(what, [part.bytes for part in parts] == [right] * 3, shown(parts))
        check("… by seven requests at most", len(requests) <= 7, ", ".join(map(str, requests)))
done()
