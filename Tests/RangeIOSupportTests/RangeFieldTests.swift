import RangeIOSupport
import Testing

struct RangeFieldTests {
  @Test(
    arguments: [
      ("bytes=0-0", [.from(0, through: 0)]), ("bytes=5-", [.from(5, through: nil)]), ("bytes=-7", [.suffix(7)]),
      ("BYTES=1-2", [.from(1, through: 2)]), ("bytes = 1-2", [.from(1, through: 2)]),
      ("bytes=0-1, 4-5 ,\t-1", [.from(0, through: 1), .from(4, through: 5), .suffix(1)]),
      ("bytes=,0-1,,", [.from(0, through: 1)]),
      ("bytes=0-99999999999999999999", [.from(0, through: .max)]),
      ("bytes=99999999999999999999-", [.from(.max, through: nil)]), ("bytes=-99999999999999999999", [.suffix(.max)]),
      ("bytes=-0", [.suffix(0)]), ("bytes=00-007", [.from(0, through: 7)]),
    ] as [(String, [RangeField.Element])])
  func `a set of ranges is parsed`(value: String, elements: [RangeField.Element]) {
    #expect(RangeField(value)?.elements == elements)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=1-2,x", "bytes=+1-2", "bytes=1--2",
    "bytes=0x1-2", "bytes=1 -2", "bytes=1- 2", "items=0-1", "seconds=1-2", "bytes=0-1;2-3", "bytes=１-２", "=0-1",
    "bytes 0-1", "bytes=0-1/5",
  ])
  func `what is no set of ranges of bytes is ignored`(value: String) {
    #expect(RangeField(value) == nil)
  }
}
