import RangeIOSupport
import Testing

struct CyclicCheckTests {
  @Test(arguments: [
    (CyclicCheck.crc32, "cbf43926", "00000000"), (.crc32C, "e3069283", "00000000"),
    (.crc64NVME, "ae8b14860a799888", "0000000000000000"),
  ])
  func `checks are those of their specifications, however the message is cut`(
    _ check: CyclicCheck, _ digits: String, _ nothing: String
  ) {
    let message = Array("123456789".utf8)
    #expect(hexadecimal(check.finish()) == nothing)
    for cut in 0...message.count {
      var check = check
      message[..<cut].withUnsafeBytes { check.update($0) }
      message[cut...].withUnsafeBytes { check.update($0) }
      #expect(hexadecimal(check.finish()) == digits)
    }
  }
}
