"""Objects that were uploaded by a form keep its media type, multipart/…; their ranges are served rightly."""

from lib.checks import *
from lib.origin import *

body = content(300_000)
for kind in "multipart/form-data; boundary=----FormBoundaryAb12", "multipart/related; boundary=x", "text/html":
    origin = Origin(lambda request, send: honest(request, send, body, fields=[("Content-Type", kind)]))
    run = tool("read", origin.url("/scan.pdf"), "--range", "1000-1999")
    check_bytes(f"{kind}: a range", run, body[1000:2000])
    check("… by one request", len(origin.taken()) == 1)
    check_bytes(f"{kind}: all of it", tool("cat", origin.url("/scan.pdf")), body)
done()
