"""A server with a disk tier forks a worker, which holds all that was open. It is stopped or killed, and another one starts."""

import signal

from lib.checks import *
from lib.origin import *
from lib.preload import *

environment = preloaded()
if not environment:
    skip("a server that forks", "there is no C compiler")
    done()
os.mkdir(path("www"))
body = content(8_000_000)
open(path("www/object"), "wb").write(body)
os.utime(path("www/object"), (1.6e9, 1.6e9))
spill = path("spill")


def serve():
    server = Serve(path("www"), "--far", "--spill", spill, "--memory", "4MiB", env=environment)
    answer = server.base and server.get("/object")
    return server, answer and answer.body == body


for end in signal.SIGTERM, signal.SIGKILL:
    server, is_right = serve()
    server.process.send_signal(signal.SIGUSR1)
    child = int(server.line("child ").split()[1])
    check(f"{end.name}: serves before", is_right, server.said)
    answer = server.get("/object", "0-99")
    check("… and after the fork", answer.body == body[:100], answer)
    server.process.send_signal(end)
    code, right = server.process.wait(HANG), 0 if end == signal.SIGTERM else -end
    check(f"… and ends with {right}", code == right, code)
    other, is_right = serve()
    check("another one serves while the child lives", is_right, other.said)
    has_disk = "--spill" not in other.said
    check("… with the disk, or says who has it", has_disk or str(child) in other.said, other.said)
    check("… and ends with 0", other.stop() == 0, other.said)
    os.kill(child, signal.SIGKILL)
    other, is_right = serve()
    check("another one has the disk when the child has ended", is_right and "--spill" not in other.said, other.said)
    check("… and ends with 0", other.stop() == 0, other.said)
    run = tool("spill", "verify", spill)
    check("… and left no damage", run.code == 0, run)
done()
