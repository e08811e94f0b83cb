"""URLs as browsers copy them: %20 for spaces, but [ ] | ^ { } and the like as they are."""

from lib.checks import *
from lib.origin import *

body = content(3000)
origin = Origin(lambda request, send: honest(request, send, body))
# What HTTP does not let stand in a target is encoded; the rest goes as it is.
encoded = {letter: f"%{ord(letter):02X}" for letter in "[]|^{}`\"<>\\%"}


def check_target(target, sent):
    run = tool("read", origin.url(target), "--range", "0-9")
    targets = [request.target for request in origin.taken()]
    is_right = run.code == 0 and run.out == body[:10] and targets == [sent]
    check(f"{target} is sent as {sent}", is_right, f"{run}, sent {targets}")


for letters, sent in *encoded.items(), ("'()!*,;:@&=+$~",) * 2:
    for form in "/a{0}b.bin?q={0}", "/a%20x{0}b.bin?p=%2F&q={0}":
        check_target(form.replace("{0}", letters), form.replace("{0}", sent))
check_target("/My%20Show%20[1080p].mkv", "/My%20Show%20%5B1080p%5D.mkv")
check_target("/My Show [1080p].mkv", "/My%20Show%20%5B1080p%5D.mkv")
check_target("/café%20[1].mkv", "/caf%C3%A9%20%5B1%5D.mkv")
check_target("/x?filter[name]=a%20b", "/x?filter%5Bname%5D=a%20b")


def moved(request, send):
    if request.target == "/start":
        return reply(request, send, 302, [("Location", "/My%20Show%20[1080p].mkv?a[]=%2F")])
    return honest(request, send, body)


origin = Origin(moved)
check_bytes("a Location with brackets: read", tool("read", origin.url("/start"), "--range", "0-9"), body[:10])
target = origin.taken()[-1].target
check("… and sent as it should be", target == "/My%20Show%20%5B1080p%5D.mkv?a%5B%5D=%2F", target)
done()
