import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ByteCountTests {
  @Test func `units are powers of 1,024`() {
    #expect(ByteCount.bytes(7).bytes == 7)
    #expect(ByteCount.kibibytes(64).bytes == 65_536)
    #expect(ByteCount.mebibytes(256).bytes == 268_435_456)
    #expect(ByteCount.gibibytes(20).bytes == 21_474_836_480)
    #expect(ByteCount.bytes(.max).bytes == .max)
  }

  @Test func `other units are powers of 1,000`() {
    #expect(ByteCount.kilobytes(64).bytes == 64_000)
    #expect(ByteCount.megabytes(256).bytes == 256_000_000)
    #expect(ByteCount.gigabytes(20).bytes == 20_000_000_000)
    for count in [ByteCount.kilobytes(7), .megabytes(256), .gigabytes(3), .bytes(1_024_000)] {
      #expect(ByteCount("\(count)") == count)
    }
  }

  @Test func `counts compare by size, whatever their unit`() {
    #expect(ByteCount.kibibytes(1) == .bytes(1024))
    #expect(ByteCount.bytes(1023) < .kibibytes(1))
    #expect(!(ByteCount.kibibytes(1) < .bytes(1024)))
    #expect(Set([ByteCount.kibibytes(1024), .mebibytes(1)]).count == 1)
  }

  @Test func `a share of a count is rounded down, and there is at least one`() async {
    #expect(ByteCount.kibibytes(1) / 4 == .bytes(256))
    #expect(ByteCount.bytes(7) / 2 == .bytes(3))
    #expect(ByteCount.bytes(.max) / 1 == .bytes(.max))
    await #expect(processExitsWith: .failure) { print(ByteCount.bytes(1) / 0) }
    await #expect(processExitsWith: .failure) { print(ByteCount.bytes(1) / -1) }
  }

  @Test func `a negative count traps`() async {
    await #expect(processExitsWith: .failure) { print(ByteCount.bytes(-1)) }
  }

  @Test func `a count that overflows traps`() async {
    await #expect(processExitsWith: .failure) { print(ByteCount.gibibytes(.max)) }
  }

  private static let written: [(String, Int)] = [
    ("4096", 4096), ("0", 0), ("64KiB", 65_536), ("64 kib", 65_536), ("64  K", 65_536), ("20G", 20 << 30),
    ("512B", 512), ("512 b", 512), ("3MiB", 3 << 20), ("3m", 3 << 20), ("2TiB", 2 << 40), ("1t", 1 << 40),
    ("9223372036854775807", Int.max), ("8388607T", 8_388_607 << 40),
  ]

  @Test(arguments: written)
  func `what a person writes is read`(text: String, wanted: Int) {
    #expect(ByteCount(text)?.bytes == wanted)
  }

  private static let fractionsAndDecimalUnits: [(String, Int)] = [
    ("1.5K", 1536), ("1.5G", 1_610_612_736), ("0.5 KiB", 512), ("0.3K", 307), ("1.000000000000001T", 1_099_511_627_776),
    ("8388607.999999999999999T", Int.max), ("64KB", 64_000), ("64 kb", 64_000), ("1.5MB", 1_500_000),
    ("2gb", 2_000_000_000), ("3TB", 3_000_000_000_000),
  ]

  @Test(arguments: fractionsAndDecimalUnits)
  func `fractions of a unit, and units of a thousand, are read`(text: String, wanted: Int) {
    #expect(ByteCount(text)?.bytes == wanted)
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1.5", "1.5B", ".5K", "1.K", "1.2.3K", "1.1234567890123456K", "1,5G", "KiB", "KB", "64X",
    "1e3", "64 Ki B", " 64", "0x10", "٣", "4\u{212A}", "4 \u{212A}iB", "4K\u{301}", "4\u{301}K", "4\u{A0}K",
    "9223372036854775808", "8388608T", "9007199254740992K",
  ])
  func `anything else is nil`(text: String) {
    #expect(ByteCount(text) == nil)
  }

  @Test func `counts are added and multiplied`() {
    #expect(ByteCount.mebibytes(1) + .kibibytes(512) == .kibibytes(1536))
    #expect(.mebibytes(4) * 3 == ByteCount.mebibytes(12))
    #expect(ByteCount.bytes(.max) + .bytes(0) == .bytes(.max))
    #expect(ByteCount.bytes(.max) * 0 == .bytes(0))
  }

  @Test func `sums and products that do not fit trap`() async {
    await #expect(processExitsWith: .failure) { _ = ByteCount.bytes(.max) + .bytes(1) }
    await #expect(processExitsWith: .failure) { _ = ByteCount.gibibytes(1 << 32) * 2 }
    await #expect(processExitsWith: .failure) { _ = ByteCount.bytes(1) * -1 }
  }

  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (4097, "4097 B"), (65_536, "64 KiB"),
    (1536, "1536 B"), (1 << 20, "1 MiB"), (3 << 29, "1536 MiB"), (5 << 30, "5 GiB"), (1 << 40, "1 TiB"),
    (.max, "9223372036854775807 B"), (1000, "1 KB"), (256_000_000, "256 MB"), (1_024_000, "1000 KiB"),
    (1_500, "1500 B"),
  ])
  func `the description uses the largest unit that divides, and is read back`(bytes: Int, wanted: String) {
    let count = ByteCount.bytes(bytes)
    #expect(count.description == wanted)
    #expect(ByteCount(wanted) == count)
  }
}
