"""An index at the end of a large object, and then small reads all over it."""

import concurrent.futures
import random

from lib.checks import *
from lib.origin import *

body = content(48 << 20)
sent = []


def answer(request, send):
    return honest(request, lambda data: (sent.append(len(data)), send(data)), body)


def taken():
    count = sum(sent)
    sent.clear()
    return count


origin = Origin(answer)
places = random.Random(3)
ranges = [(len(body) - 64, 64), (len(body) - 300_000, 299_000)]
ranges += [(places.randrange(len(body) - 1024), 1024) for _ in range(100)]
parts = reads(origin.url(), "--", *[f"{offset}:{count}" for offset, count in ranges])
is_right = [part.bytes for part in parts] == [body[offset : offset + count] for offset, count in ranges]
check("100 reads of 1 KiB: right", is_right, shown(parts)[:300])
count, blocks = taken(), 100 * 65536
check("… and the server sends less than half of the blocks around them", count < blocks // 2, f"{count}, not {blocks // 2}")

server = Serve(origin.url("/"))
ranges = [(places.randrange(len(body) - 4096), 4096) for _ in range(640)]
with concurrent.futures.ThreadPoolExecutor(32) as clients:
    answers = clients.map(lambda range: server.get("/object", f"{range[0]}-{sum(range) - 1}"), ranges)
    wrong = [str(answer) for answer, (offset, count) in zip(answers, ranges) if answer.body != body[offset : offset + count]]
check("640 ranges of 4 KiB from serve, 32 at a time: right", not wrong, wrong[:3])
count, asked = taken(), 640 * 4096
check("… and its origin sends no more than 1.5 times as much", count < 1.5 * asked, f"{count}, {asked}")
check("it ends with 0", server.stop() == 0)
done()
