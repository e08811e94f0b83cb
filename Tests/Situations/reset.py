"""Clients ask `rangeio serve` for a large file, and reset the connection at once."""

from lib.checks import *
from lib.origin import *

os.mkdir(path("www"))
with open(path("www/large"), "wb") as file:
    file.truncate(20 << 30)
with open(path("www/small"), "wb") as file:
    file.write(b"hello\n")
server = Serve(path("www"))
for clients in 1, 5, 20:
    for _ in range(clients):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    answer = server.get("/small")
    check(f"after {clients} of them another client is answered", answer.body == b"hello\n", answer)
    # Each answer to a client that is gone has ended when only this one is under way.
    sent = server.statistics()["server"]["bodyBytes"]
    check("… and no more than a few pieces went to those that are gone", sent < 26 * (8 << 20), f"{sent} bytes")
code = server.stop()
check("it ends with 0", code == 0, code)
done()
