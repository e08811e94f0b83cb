"""A recording that is added to while it is read, copied and served; by nginx, too."""

from lib.checks import *
from lib.nginx import *
from lib.origin import *

os.mkdir(path("www"))
recording = path("www/recording.ts")
begun, more = content(20_000_000), content(1880)
file = open(recording, "wb", buffering=0)
file.write(begun)
ended = threading.Event()


def record():
    while not ended.wait(0.005):
        file.write(more)


def is_prefix(came, least=len(begun)):
    right = open(recording, "rb").read()
    return len(came) >= least and came == right[: len(came)]


def check_bytes_or_change(what, run, right):
    is_right = run.code == 0 and run.out == right or run.code == 5 and not run.out
    check(f"{what}, or the source has changed", is_right, run)


def check_prefix(what, run, came):
    check(what, run.code == 0 and is_prefix(came), run)


# Added to while the pipe is full, so that what comes after it is of a longer file for certain.
process = subprocess.Popen([RANGEIO, "cat", recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
came = process.stdout.read(1)
file.write(more)
came += process.stdout.read()
said = process.stderr.read().decode()
code = process.wait()
check("cat: breaks off with right bytes, and names --growing", code == 5 and "--growing" in said and is_prefix(came, 1), said)

recorder = threading.Thread(target=record)
recorder.start()
check_bytes("read --growing: a range", tool("read", recording, "--range", "0-99", "--growing"), begun[:100])
run = tool("read", recording, "--range", "0-99")
check_bytes_or_change("read: a range", run, begun[:100])
run = tool("cat", recording, "--growing")
check_prefix("cat --growing: what was there when it began", run, run.out)
check_failure("copy: fails, and names --growing", tool("copy", recording, path("copy")), 5, "--growing")
run = tool("copy", recording, path("growing"), "--growing")
check_prefix("copy --growing: what was there when it began", run, open(path("growing"), "rb").read())

for far in [], ["--far"]:
    server = Serve(path("www"), "--growing", *far)
    words = " ".join(["serve --growing", *far])
    for wanted in None, "0-":
        answers = [server.get("/recording.ts", wanted) for _ in range(3)]
        is_right = all(answer.is_whole and is_prefix(answer.body) for answer in answers)
        check(f"{words}: {'all' if wanted is None else 'bytes=0-'}, three of three whole", is_right, ", ".join(map(str, answers)))
    answers = [server.get("/recording.ts", "1000000-1999999") for _ in range(3)]
    is_right = all(answer.body == begun[1_000_000:2_000_000] for answer in answers)
    check(f"{words}: 1 MB in the middle, three of three", is_right, ", ".join(map(str, answers)))
    server.stop()
server = Serve(path("www"))
answers = [server.get("/recording.ts") for _ in range(3)]
check("serve without it: cuts answers off, and sends no wrong byte", all(is_prefix(answer.body, 0) for answer in answers))
answers = [server.get("/recording.ts", "0-99") for _ in range(3)]
check("serve without it: short ranges are whole", all(answer.body == begun[:100] for answer in answers))
server.stop()

if nginx := Nginx.started(path("www")):
    run = tool("read", nginx.url("/recording.ts"), "--range", "0-99")
    check_bytes_or_change("from nginx, read: a range", run, begun[:100])
    run = tool("cat", nginx.url("/recording.ts"))
    check("from nginx, cat: no wrong byte, and the source has changed", run.code == 5 and is_prefix(run.out, 0), run)
    nginx.stop()
else:
    skip("from nginx", "nginx cannot be had")
ended.set()
recorder.join()
done()
