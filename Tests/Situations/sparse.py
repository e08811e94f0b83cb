"""A disk image of 64 GiB, of which 1 MiB is data, is copied and read."""

from lib.checks import *
from lib.origin import *

SIZE = 64 << 30
pieces = {1000 << 20: content(1 << 20), 40_000_000_000: b"hello"}
with open(path("image"), "wb") as file:
    file.truncate(SIZE)
    for offset, piece in pieces.items():
        file.seek(offset)
        file.write(piece)
if os.stat(path("image")).st_blocks * 512 > 1 << 24:
    skip("an image with holes", "files have none here")
    done()


def check_image(what, run, name):
    status = os.stat(path(name)) if os.path.exists(path(name)) else None
    is_right = run.code == 0 and status and status.st_size == SIZE
    check(f"{what}: as long", is_right, run)
    if not is_right:
        return
    check("… with holes", status.st_blocks * 512 < 1 << 24, f"{status.st_blocks * 512} bytes on the disk")
    with open(path(name), "rb") as file:
        for offset, piece in pieces.items():
            file.seek(offset - 4096)
            around = file.read(4096 + len(piece) + 4096)
            check(f"… the piece at {offset}", around.rstrip(b"\0") == bytes(4096) + piece.rstrip(b"\0"))
    read = [int(count.replace(",", "")) for count in re.findall(r"([\d,]+) bytes", run.said)]
    check("… and only data was read", read and read[0] < 1 << 24, run.said)


check_image("copy", tool("copy", path("image"), path("copy"), "--stats"), "copy")
check_image("read --output", tool("read", path("image"), "--output", path("read"), "--stats"), "read")
run = tool("read", path("image"), "--range", "1048576000-1049624575", "--range", "40000000000-40000000004")
check_bytes("read: the two pieces", run, b"".join(pieces.values()))
done()
