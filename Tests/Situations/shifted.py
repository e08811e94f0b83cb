"""A server sends one answer a second time, on a connection that is kept: what comes next is that of the request before."""

from lib.checks import *
from lib.origin import *

OBJECTS, ROUNDS, COUNT, MOST = 8, 25, 1000, 5
bodies = {number: content(COUNT, seed=number) for number in range(1, OBJECTS + 1)}


def shifting(marks, late, which):
    """The answer to GET with the number `which` of each connection comes twice, the second time `late` seconds later;
    no more than MOST do."""
    answers, stray = {}, []

    def answer(request, send):
        number = int(request.target.rpartition("/")[2])
        out = []
        honest(request, out.append, bodies[number], **marks(number))
        answers[request.connection] = answers.get(request.connection, 0) + (request.method == "GET")
        send(out[0])
        if request.method == "GET" and answers[request.connection] == which and len(stray) < MOST:
            stray.append(request)
            if late:
                time.sleep(late)
            send(out[0])
        return True

    origin = Origin(answer)
    origin.stray = stray
    return origin


for what, marks in {
    "a tag of each object": lambda number: {"tag": f'"{number}"', "date": None},
    "a date of each object": lambda number: {"tag": None, "date": http_date(1.6e9 + number)},
    "neither": lambda number: {"tag": None, "date": None},
}.items():
    for late in 0, 0.0002:
        # A connection that brings answers without marks is left after the first.
        origin = shifting(marks, late, 1 if what == "neither" else 5)
        urls = [origin.url(f"/{number}") for number in bodies]
        parts = reads("bare", "head", "oneByOne", *urls, "--", *[f"0:{COUNT}"] * ROUNDS)
        right = list(bodies.values()) * ROUNDS
        wrong = sum(part.bytes not in (None, bytes) for part, bytes in zip(parts, right))
        words = f"{what}, {'a moment late' if late else 'at once'}"
        check(f"{words}: some answers come twice", len(origin.stray) > 0)
        most = len(origin.stray) if what == "neither" else 0
        is_right = len(parts) == len(right) and wrong <= most
        check(f"… and {most or 'none'} of {len(right)} reads wrong at most", is_right, f"{wrong} wrong, {shown(parts)[:300]}")
        check("… and most are right", sum(part.bytes == bytes for part, bytes in zip(parts, right)) > len(right) // 2)
done()
