import RangeIOSupport
import Testing

struct Base64Tests {
  @Test func `the vectors of RFC 4648 are met`() {
    let texts = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    for (count, text) in texts.enumerated() { #expect(Base64.text(Array("foobar".utf8.prefix(count))) == text) }
    #expect(Base64.text([0, 16, 131, 16, 81, 135, 255, 254, 253, 251]) == "ABCDEFGH//79+w==")
  }
}
