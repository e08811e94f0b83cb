"""A small proxy of 127.0.0.1 that writes down what a client asks, and what comes.

It can say that objects are years old: of an object that was written a moment ago, the date alone has a client ask again.
"""

import http.client
import http.server
import socketserver
import threading
import urllib.parse


class Exchange:
    """A request and its answer; names of fields are small."""

    def __init__(self, method, target, fields):
        self.method, self.target, self.fields = method, target, fields
        self.path, _, self.query = target.partition("?")
        self.parameters = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        self.status, self.answer, self.body = None, {}, b""

    def __repr__(self):
        return f"<{self.method} {self.target} {self.fields.get('range', '')} {self.fields.get('if-match', '')} {self.status}>"


class Recorder(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`exchanges` are those so far. `after`, if set, is called with each of them before the answer is sent on. `ages`: whether objects
    are years old."""

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream, self.exchanges, self.after, self.ages = port, [], None, True
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self):
        """The exchanges since the last call."""
        with self.lock:
            taken, self.exchanges = self.exchanges, []
        return taken


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        fields = {name.lower(): value for name, value in self.headers.items()}
        exchange = Exchange(self.command, self.path, fields)
        body = self.rfile.read(int(fields.get("content-length", 0)))
        connection = http.client.HTTPConnection("127.0.0.1", self.server.upstream, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        answer = connection.getresponse()
        exchange.status, exchange.body = answer.status, answer.read()
        exchange.answer = {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        with self.server.lock:
            self.server.exchanges.append(exchange)
        if self.server.after:
            self.server.after(exchange)
        try:
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if self.server.ages and name.lower() == "last-modified":
                    value = "Tue, 01 Sep 2020 00:00:00 GMT"
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            length = exchange.answer.get("content-length", "0") if self.command == "HEAD" else str(len(exchange.body))
            self.send_header("Content-Length", length)
            self.end_headers()
            self.wfile.write(exchange.body)
        except OSError:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on
