"""Twenty forms of heads, of which HTTP says what they mean, or that they mean nothing."""

from lib.checks import *
from lib.origin import *

body = content(300_000)


def each_line(head, change):
    first, *fields = head.split(b"\r\n")
    return b"\r\n".join([first, *map(change, fields)])


def name_changed(change):
    return lambda line: change(line.partition(b":")[0]) + b":" + line.partition(b":")[2]


def joined(head, rest):
    return head + b"\r\n\r\n" + rest


def with_field(field):
    return lambda head, rest, request: joined(head + b"\r\n" + field, rest)


def twice(head, rest, request):
    lengths = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
    return joined(b"\r\n".join([head, *lengths]), rest)


def chunks_beside(head, rest, request):
    return joined(head + b"\r\nTransfer-Encoding: chunked", f"{len(rest):x}\r\n".encode() + rest + b"\r\n0\r\n\r\n")


READ = {
    "no space after colons": lambda head, rest, request: joined(head.replace(b": ", b":"), rest),
    "tabs after colons": lambda head, rest, request: joined(head.replace(b": ", b":\t"), rest),
    "names in small letters": lambda head, rest, request: joined(each_line(head, name_changed(bytes.lower)), rest),
    "names in capitals": lambda head, rest, request: joined(each_line(head, name_changed(bytes.upper)), rest),
    "no reason": lambda head, rest, request: joined(head.replace(b" X\r\n", b" \r\n", 1), rest),
    "no reason, and no space before it": lambda head, rest, request: joined(head.replace(b" X\r\n", b"\r\n", 1), rest),
    "103 before it": lambda head, rest, request: b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + joined(head, rest),
    "100 before it, twice": lambda head, rest, request: b"HTTP/1.1 100 Continue\r\n\r\n" * 2 + joined(head, rest),
    "letters of Latin-1": with_field(b"Content-Disposition: attachment; filename=d\xe9j\xe0.bin"),
    "letters of UTF-8": with_field("Content-Disposition: attachment; filename=видео.mp4".encode()),
    "a space before a colon": with_field(b"X-Note : 1"),
    "a field that goes on in the next line": with_field(b"X-Long: a\r\n  b"),
    "lines that end in LF alone": lambda head, rest, request: joined(head, b"").replace(b"\r\n", b"\n") + rest,
    "60 kB of fields": with_field(b"\r\n".join([b"Content-Security-Policy: " + b"a" * 6000] * 10)),
    "one length twice": twice,
    "a length beside chunks": chunks_beside,
    "two tags": with_field(b'ETag: "other"'),
}
REFUSED = {
    "a space in a name": with_field(b"X Note: 1"),
    "a NUL": with_field(b"X-Note: a\0b"),
    "ICY for HTTP": lambda head, rest, request: joined(head.replace(b"HTTP/1.1", b"ICY", 1), rest),
}


def sending(form):
    def answer(request, send):
        out = []
        honest(request, out.append, body)
        head, _, rest = b"".join(out).partition(b"\r\n\r\n")
        send(form(head, rest, request))
        return True

    return Origin(answer)


for what, form in READ.items():
    check_bytes(f"{what}: read", tool("read", sending(form).url(), "--range", "1000-1999"), body[1000:2000])
for what, form in REFUSED.items():
    run = tool("read", sending(form).url(), "--range", "1000-1999")
    check_failure(f"{what}: refused, and the message says why", run, 1, "is not HTTP")
done()
