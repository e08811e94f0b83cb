#if Tool
  import RangeIO
  import RangeIOSupport

  @testable import RangeIOTool

  extension FuzzTargets {
    static let journals: [FuzzTarget] = [
      FuzzTarget(
        "journals", seeds: [[0] + journal(10_000_000), [1] + journal(1 << 40), [1] + journal(1)], words: ["rioCopy1"]
      ) {
        bytes in
        var input = FuzzInput(bytes)
        var journal = input.flag() ? repaired(Array(input.rest)) : Array(input.rest)
        guard let identity = CopyJournal.identity(journal) else { return }
        try promise(
          CopyJournal.header(identity) == Array(journal.prefix(96)) || journal[20..<24] != [0, 0, 0, 0]
            || journal[88..<92] != [0, 0, 0, 0], "its header is written otherwise")
        let sums = CopyJournal.sums(journal, of: identity)
        try promise(sums.count <= journal.count / 16, "more pieces than records")
        for piece in sums.keys {
          let range = identity.layout.range(of: piece..<piece + 1)
          try promise(!range.isEmpty && range.upperBound <= identity.layout.byteCount, "a piece beyond the end")
        }
        // What a copy that goes on notes is there for the next one.
        guard identity.layout.pieceCount > 0, journal[88..<92] == [0, 0, 0, 0], journal[20..<24] == [0, 0, 0, 0] else {
          return
        }
        var cursor = CopyJournal.Cursor(identity, length: journal.count)
        let last = identity.layout.pieceCount - 1
        let note = cursor.write([.init(piece: last, sum: 77)])
        journal += [UInt8](repeating: 0, count: note.offset - journal.count)
        var expected = sums
        expected[last] = 77
        try promise(CopyJournal.sums(journal + note.bytes, of: identity) == expected, "what is noted is not found")
      }
    ]

    private static func journal(_ byteCount: Int) -> [UInt8] {
      let identity = CopyJournal.Identity(
        source: [UInt8](repeating: 1, count: 32), version: [UInt8](repeating: 2, count: 32),
        layout: CopyLayout(byteCount: byteCount))
      var cursor = CopyJournal.Cursor(identity)
      return CopyJournal.header(identity) + cursor.write((0..<3).map { .init(piece: $0, sum: UInt32($0)) }).bytes
    }

    /// The same with right sums.
    private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      func sum(_ range: Range<Int>, continuing check: UInt32 = 0) -> UInt32 {
        bytes[range].withUnsafeBytes { CRC32C.of($0, continuing: check) }
      }
      func put(_ number: UInt32, at place: Int) {
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
      }
      guard bytes.count >= 96 else { return bytes }
      bytes.replaceSubrange(0..<8, with: CopyJournal.magic)
      let check = sum(0..<92)
      put(check, at: 92)
      for place in stride(from: 96, through: bytes.count - 16, by: 16) {
        put(sum(place..<place + 12, continuing: check), at: place + 12)
      }
      return bytes
    }
  }
#else
  extension FuzzTargets {
    static let journals: [FuzzTarget] = []
  }
#endif
