#if Tool
import RangeIO
import RangeIOSupport
import Testing

@testable import RangeIOTool

/// The small values of a copy.
@Suite struct CopyValuesTests {
  // MARK: checksums

  @Test func `SHA-256 of the examples of FIPS 180-4, in portions of any size`() {
    let cases = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
    for (text, digest) in cases {
      #expect(Bytes(SHA256.digest(of: Array(text.utf8))).hex == digest)
    }
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(
      Bytes(SHA256.digest(of: million)).hex
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    let bytes = noise(1000)
    for size in [1, 3, 55, 56, 63, 64, 65, 127, 128, 999] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { hash.update($0) }
      }
      #expect(hash.finish() == SHA256.digest(of: bytes), "portions of \(size)")
    }
  }

  @Test func `pieces have the same sums however their bytes arrive`() {
    let bytes = noise(300_000)
    let layout = CopyLayout(byteCount: bytes.count, pieceSize: 64 << 10)
    for seed in UInt64(1)...20 {
      var random = SeededRandom(seed)
      var sums = PieceSums(1..<layout.pieceCount, layout)
      var records: [CopyJournal.Record] = []
      while !sums.missing.isEmpty {
        let start = sums.missing.lowerBound
        let count = min(sums.missing.count, random.below(3) == 0 ? 1 : random.below(150_000))
        let middle = start + count / 2
        // A rope: its parts are looked at one by one.
        let portion = Bytes(concatenating: [Bytes(bytes[start..<middle]), Bytes(bytes[middle..<start + count])])
        records += sums.take(portion)
      }
      #expect(records.map(\.piece) == [1, 2, 3, 4], "seed \(seed)")
      for record in records {
        let range = layout.range(of: record.piece..<record.piece + 1)
        #expect(record.sum == bytes[range].withUnsafeBytes { CRC32C.of($0) }, "seed \(seed)")
      }
    }
  }

  // MARK: zeros

  @Test func `runs of zeros in whole blocks are told from the rest`() {
    var bytes = [UInt8](repeating: 0, count: 40_000)
    bytes[9000] = 1
    bytes[39_999] = 1
    var runs: [String] = []
    bytes.withUnsafeBytes { buffer in
      ZeroBlocks.forEachRun(buffer, at: 1000) { run, offset, isZero in
        runs.append("\(offset)+\(run.count) \(isZero ? "zero" : "data")")
      }
    }
    // Blocks are counted from the start of the file, in which the buffer lies at 1000.
    #expect(runs == ["1000+3096 data", "4096+4096 zero", "8192+4096 data", "12288+28672 zero", "40960+40 data"])
  }

  @Test func `the runs of any buffer are the buffer`() {
    for seed in UInt64(1)...50 {
      var random = SeededRandom(seed)
      var bytes = [UInt8](repeating: 0, count: random.below(60_000))
      for _ in 0..<random.below(6) where !bytes.isEmpty { bytes[random.below(bytes.count)] = 9 }
      let offset = random.below(20_000)
      var position = offset
      var last: Bool?
      bytes.withUnsafeBytes { buffer in
        ZeroBlocks.forEachRun(buffer, at: offset) { run, place, isZero in
          #expect(place == position && !run.isEmpty && isZero != last, "seed \(seed)")
          #expect(!isZero || run.allSatisfy { $0 == 0 } && run.count % ZeroBlocks.size == 0, "seed \(seed)")
          position += run.count
          last = isZero
        }
      }
      #expect(position == offset + bytes.count, "seed \(seed)")
    }
  }

  // MARK: trying again

  private func transient(retryAfter: Duration? = nil) -> ReadError {
    var error = ReadError(.inputOutput, "reset", isTransient: true)
    error.retryAfter = retryAfter
    return error
  }

  @Test func `failures in a row are bounded, and bytes between them count`() {
    var retries = CopyRetries()
    var waits: [Duration] = []
    while let wait = retries.failed(transient(), now: .zero, random: 1) { waits.append(wait) }
    #expect(Array(waits.prefix(7)) == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10].map { Duration.seconds($0) })
    // Half of it in the mean.
    #expect((.seconds(500) ... .seconds(700)).contains(waits.reduce(.zero, +)))
    retries.arrived()
    #expect(retries.failed(transient(), now: .zero, random: 0) == .zero)
    var none = CopyRetries()
    none.limit = 1
    #expect(none.failed(transient(), now: .zero, random: 0) == nil)
  }

  @Test func `a source that asks for time gets it, and not for ever`() {
    var retries = CopyRetries()
    #expect(retries.failed(transient(retryAfter: .seconds(7)), now: .zero, random: 0) == .seconds(7))
    #expect(retries.failed(transient(retryAfter: .seconds(3600)), now: .zero, random: 0) == nil)
  }

  @Test func `tries that take long do not add up, and a time limit is for all of them`() {
    var (retries, now, tries) = (CopyRetries(), Duration.zero, 0)
    // A server that is silent.
    while let wait = retries.failed(transient(), now: now, random: 0.5) {
      (now, tries) = (now + wait + .seconds(30), tries + 1)
    }
    #expect((600...640).contains(now / .seconds(1)) && tries < 22)
    // What a server asks for is waited for besides.
    (retries, now) = (CopyRetries(), .zero)
    for _ in 0..<20 {
      let wait = retries.failed(transient(retryAfter: .seconds(100)), now: now, random: 0)
      #expect(wait == .seconds(100))
      now += .seconds(100)
    }
    retries = CopyRetries()
    retries.timeLimit = .seconds(3)
    #expect(retries.failed(transient(), now: .seconds(2), random: 0) == .zero)
    #expect(retries.failed(transient(), now: .seconds(2), random: 1) == .milliseconds(400))
    #expect(retries.failed(transient(), now: .milliseconds(2500), random: 1) == nil)
    #expect(retries.failed(transient(), now: .seconds(3), random: 0) == nil)
  }

  @Test func `what would fail again is not tried again`() {
    var retries = CopyRetries()
    #expect(retries.failed(ReadError(.notFound, "gone"), now: .zero, random: 0) == nil)
    #expect(retries.failed(CancellationError(), now: .zero, random: 0) == nil)
    #expect(retries.failed(ToolFailure("full"), now: .zero, random: 0) == nil)
  }

  // MARK: pace and rate

  @Test func `a pace is kept, and time that has passed is not saved up`() {
    var pace = CopyPace(bytesPerSecond: 1000)
    #expect(pace.wait(for: 500, now: .zero) == .zero)
    #expect(pace.wait(for: 500, now: .zero) == .milliseconds(500))
    #expect(pace.wait(for: 1000, now: .milliseconds(200)) == .milliseconds(800))
    #expect(pace.wait(for: 100, now: .seconds(60)) == .zero)
    #expect(pace.wait(for: 100, now: .seconds(60)) == .milliseconds(100))
  }

  @Test func `a rate is that of the last seconds, and tells the time left`() {
    var rate = TransferRate()
    #expect(rate.bytesPerSecond == 0 && rate.timeLeft(for: 100) == nil)
    var bytes = 0
    for step in 1...40 {
      bytes += 1000
      rate.note(bytes, at: .milliseconds(250 * step))
    }
    #expect(abs(rate.bytesPerSecond - 4000) < 1)
    #expect(rate.timeLeft(for: 40_000) == .seconds(10))
    for step in 41...100 { rate.note(bytes, at: .milliseconds(250 * step)) }
    // Nothing has come for longer than it looks back.
    #expect(rate.bytesPerSecond == 0 && rate.timeLeft(for: 1) == nil)
  }

  @Test func `progress tells share, rate and time left`() {
    var rate = TransferRate()
    rate.note(92_000_000, at: .seconds(1))
    let text = CopyProgress.text("disk.img", done: 450_000_000, of: 1_000_000_000, rate)
    #expect(text == "disk.img: 45%, 429 MiB of 954 MiB, 87.7 MiB/s, 6 s left")
    #expect(
      CopyProgress.text("disk.img", done: 0, of: 10, TransferRate()) == "disk.img: 0%, 0 B of 10 B")
    #expect(Figures.span(.seconds(0)) == "0 s")
    #expect(Figures.span(.seconds(60)) == "1 min")
    #expect(Figures.span(.seconds(3725)) == "1 h 2 min")
    #expect(Figures.span(.seconds(100_000)) == "1 d 3 h")
  }

  @Test func `a digest is 64 hexadecimal digits`() throws {
    let digits = String(repeating: "0f", count: 32)
    #expect(try CopyCommand.digest(digits) == [UInt8](repeating: 15, count: 32))
    #expect(try CopyCommand.digest(digits.uppercased()) == [UInt8](repeating: 15, count: 32))
    for wrong in ["", "0f", digits + "0", digits.dropLast() + "g", digits.dropLast(2) + "０f"] {
      #expect(throws: ToolFailure.self) { try CopyCommand.digest(String(wrong)) }
    }
  }
}
#endif
