"""A blob as Azure's Blob service has it: it demands a signature with the account's key ("Shared Key"), made within 15
minutes of its clock, which is an hour ahead. Prints its URL. Stops when its standard input ends."""

import base64, email.utils, hashlib, hmac, http.server, os, sys, threading, time, urllib.parse

ACCOUNT, KEY, AHEAD = "maps", base64.b64decode(sys.argv[1]), 3600
DATA = bytes((i * 31 + 7) & 255 for i in range(1_000_000))
TAG = '"0x8DC0FFEE"'


class Blobs(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(time.time() + AHEAD, usegmt=True)

    def signature(self):
        fields = ["Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
                  "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"]
        text = self.command + "\n" + "".join(self.headers.get(name, "") + "\n" for name in fields)
        own = sorted((n.lower(), v.strip()) for n, v in self.headers.items() if n.lower().startswith("x-ms-"))
        text += "".join(f"{n}:{v}\n" for n, v in own)
        url = urllib.parse.urlsplit(self.path)
        text += f"/{ACCOUNT}{url.path}"
        text += "".join(f"\n{n.lower()}:{v}" for n, v in sorted(urllib.parse.parse_qsl(url.query)))
        code = hmac.new(KEY, text.encode(), hashlib.sha256).digest()
        return f"SharedKey {ACCOUNT}:{base64.b64encode(code).decode()}"

    def refuse(self, status, code):
        body = f"<Error><Code>{code}</Code></Error>".encode()
        self.send_response(status)
        self.send_header("x-ms-error-code", code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self):
        date = email.utils.parsedate_to_datetime(self.headers.get("x-ms-date", "")).timestamp()
        isSigned = hmac.compare_digest(self.headers.get("Authorization", ""), self.signature())
        if not isSigned or abs(date - time.time() - AHEAD) > 900:
            return self.refuse(403, "AuthenticationFailed")
        if urllib.parse.unquote(self.path) != "/tiles/2026/a planet.bin":
            return self.refuse(404, "BlobNotFound")
        if self.headers.get("If-Match", TAG) != TAG:
            return self.refuse(412, "ConditionNotMet")
        first, last = 0, len(DATA) - 1
        if asked := self.headers.get("Range"):
            first, last = (int(n) for n in asked.removeprefix("bytes=").split("-"))
            last = min(last, len(DATA) - 1)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(DATA)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", TAG)
        self.send_header("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(DATA[first:last + 1])

    do_HEAD = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blobs)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
