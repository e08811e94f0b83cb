"""Hundreds of objects of 3 kB, a sixth of them missing; the same through `rangeio serve`."""

import concurrent.futures

from lib.checks import *
from lib.origin import *


def is_missing(number):
    return number % 6 == 5


def answer(request, send):
    number = int(request.target.rpartition("/")[2])
    if is_missing(number):
        return reply(request, send, 404, [], b"nothing")
    return honest(request, send, body(number), tag=f'"{number}"')


def body(number):
    return content(3000, seed=number)


origin = Origin(answer)
numbers = [number for number in range(200) if not is_missing(number)]
parts = reads(*[origin.url(f"/{number}") for number in numbers], "--", "0:3000")
is_right = [part.bytes for part in parts] == [body(number) for number in numbers]
check(f"{len(numbers)} objects are read", is_right, shown(parts)[:300])
check("… by one request each", len(origin.taken()) == len(numbers))
parts = reads(origin.url("/5"), "--", "0:3000")
check("a missing one is told of", [part.code for part in parts] == ["notFound"], shown(parts))
check("… after one request", len(origin.taken()) == 1)

# So long that it does not end within this.
server = Serve(origin.url("/"), "--revalidate", "600")


def at_once(target, count):
    """The answers to so many clients at the same time."""
    with concurrent.futures.ThreadPoolExecutor(count) as clients:
        return list(clients.map(server.get, [target] * count))


def check_requests(what, answers, right, most):
    requests = [str(request) for request in origin.taken()]
    check(f"{what}: right", all(right(answer) for answer in answers), ", ".join(map(str, answers))[:300])
    check(f"… by {most} request{'s' if most > 1 else ''}", len(requests) == most, requests)


check_requests("a missing name, 50 times", [server.get("/11") for _ in range(50)], lambda answer: answer.status == 404, 1)
check_requests("a missing name, 50 clients at once", at_once("/17", 50), lambda answer: answer.status == 404, 1)
check_requests("an object, 50 clients at once", at_once("/18", 50), lambda answer: answer.body == body(18), 1)
check_requests("an object, 100 times", [server.get("/19") for _ in range(100)], lambda answer: answer.body == body(19), 1)
answers = {number: server.get(f"/{number}") for number in range(30, 130) if not is_missing(number)}
is_right = all(answer.body == body(number) for number, answer in answers.items())
check(f"{len(answers)} objects once each: right", is_right)
requests = origin.taken()
check("… by one request each", len(requests) == len(answers), len(requests))
check("it ends with 0", server.stop() == 0)
done()
