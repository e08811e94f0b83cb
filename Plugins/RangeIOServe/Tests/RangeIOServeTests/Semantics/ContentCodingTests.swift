import RangeIOServe
import Testing

/// Which coding a client would rather have, and the name under which it saves.
struct ContentCodingTests {
  @Test(arguments: [
    ([], ""), ([""], ""), (["gzip"], "gzip"), (["gzip, deflate, br"], "br gzip"), (["gzip", "br"], "br gzip"),
    (["GZIP;Q=0.5, br;q=0.4"], "gzip br"), (["br;q=0, gzip;q=0.001"], "gzip"), (["x-gzip"], "gzip"),
    (["*"], "br zstd gzip"), (["*;q=0.5, br;q=0"], "zstd gzip"), (["identity"], ""), (["identity, gzip;q=0.5"], ""),
    (["identity;q=0.5, gzip;q=0.5"], "gzip"), (["gzip;q=1.5"], ""), (["gzip;q=nan"], ""), (["gzip;q="], ""),
    (["gzip;level=9"], ""), (["gzipped, bro"], ""), ([" gzip ; q=1 "], "gzip"),
  ])
  func `codings are chosen by their weights`(values: [String], names: String) {
    #expect(ContentCoding.accepted(values).map(\.rawValue).joined(separator: " ") == names)
  }

  @Test(arguments: [
    ("a b.bin", "attachment; filename=\"a b.bin\""),
    ("a\"b\\.bin", "attachment; filename=\"a_b_.bin\"; filename*=UTF-8''a%22b%5C.bin"),
    ("50%.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"),
    ("caf\u{e9}.bin", "attachment; filename=\"caf_.bin\"; filename*=UTF-8''caf%C3%A9.bin"),
    ("a\r\nSet-Cookie: b", "attachment; filename=\"a__Set-Cookie: b\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b"),
  ])
  func `a name is told to old clients and to new ones`(name: String, field: String) {
    #expect(ContentDisposition.attachment(ServedName(name)) == field)
  }

  @Test func `a name that is no UTF-8 is told as far as it is, and none is none`() {
    #expect(
      ContentDisposition.attachment(ServedName(bytes: [0x61, 0xFF]))
        == "attachment; filename=\"a_\"; filename*=UTF-8''a%EF%BF%BD")
    #expect(ContentDisposition.attachment(nil) == "attachment")
  }
}
