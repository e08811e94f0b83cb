"""HEAD shows little of the version, GET more. In the middle of the first answer the connection breaks, and the object is replaced."""

from lib.checks import *
from lib.origin import *

COUNT = 400_000
versions = [content(COUNT, seed=1), content(COUNT, seed=2)]
MARKS = {
    "nothing": lambda version: [],
    "a strong tag": lambda version: [("ETag", f'"t{version}"')],
    "a weak tag": lambda version: [("ETag", f'W/"t{version}"')],
    "a date": lambda version: [("Last-Modified", YEARS_AGO.replace("00 GMT", f"0{version} GMT"))],
    "the same date": lambda version: [("Last-Modified", YEARS_AGO)],
}
MARKS["the same date and a strong tag"] = lambda version: MARKS["the same date"](version) + MARKS["a strong tag"](version)
MARKS["the same date and a weak tag"] = lambda version: MARKS["the same date"](version) + MARKS["a weak tag"](version)


def replaced(of_head, of_get):
    gets = []

    def answer(request, send):
        if request.method == "HEAD":
            return reply(request, send, 200, [("Accept-Ranges", "bytes"), ("Content-Length", str(COUNT)), *MARKS[of_head](0)])
        gets.append(request)
        version = 0 if len(gets) == 1 else 1
        first, last = request.range(COUNT) or (0, COUNT - 1)
        out = []
        fields = [("Content-Range", f"bytes {first}-{last}/{COUNT}"), *MARKS[of_get](version)]
        reply(request, out.append, 206, fields, versions[version][first : last + 1])
        # All but the half of the body of the first one.
        send(out[0][: len(out[0]) - (last + 1 - first) // 2] if version == 0 else out[0])
        return version == 1

    return Origin(answer)


def seen(came):
    """The numbers of the versions that the bytes are of."""
    return {
        number for start in range(0, len(came), 1000) for number in (0, 1)
        if came[start : start + 8] == versions[number][start : start + 8]}


# Nothing that the server shows distinguishes these.
unseen = {("nothing", "nothing"), ("nothing", "the same date"), ("the same date", "the same date")}
for of_get in MARKS:
    run = tool("read", replaced("nothing", of_get).url(), "--range", f"0-{COUNT - 1}")
    if of_get in ("nothing", "the same date"):
        check(f"GET {of_get}: read to the end", run.code == 0 and len(run.out) == COUNT, run)
    else:
        check(f"GET {of_get}: no bytes of two versions, and the tool fails", run.code in (1, 5) and len(seen(run.out)) < 2, run)
    for of_head in "nothing", "the same date", "a weak tag", "a strong tag":
        parts = reads("head", replaced(of_head, of_get).url(), "--", f"0:{COUNT}")
        what = f"HEAD {of_head}, GET {of_get}"
        if (of_head, of_get) in unseen:
            check(f"{what}: read to the end", parts and parts[0].bytes is not None, shown(parts))
        else:
            check(f"{what}: no bytes of two versions", parts and len(seen(parts[0].bytes or b"")) < 2, shown(parts))
done()
