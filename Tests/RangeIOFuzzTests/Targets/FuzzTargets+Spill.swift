@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTiers

/// What lies in a spill directory. Inputs begin with a byte: one that is odd repairs all sums.
extension FuzzTargets {
  private static let segments: [[UInt8]] = [true, false].flatMap { isSealed in
    [0, 1].map { repair -> [UInt8] in [repair] + ForgedSegment.written(isSealed: isSealed) }
  }

  static let spill: [FuzzTarget] = [
    FuzzTarget("segments", seeds: segments, words: ["RIOR", "RIOT", "RIOSPILL"]) { bytes in
      let isForged = (bytes.first ?? 0) & 1 == 1
      let segment = isForged ? ForgedSegment.repaired(Array(bytes.dropFirst())) : Array(bytes.dropFirst())
      let forged = ForgedSegment(segment)
      var served = 0
      do {
        guard let count = try forged.served() else {
          // A forger who repairs sums may have any bytes served: `Docs/Reliability.md`.
          return try promise(isForged, "wrong bytes are served")
        }
        served = count
      } catch is ReadError {
        // A directory of another version is refused.
      }
      // `try?`: so it is here.
      guard let inspection = try? SpillInspection("/spill", on: ForgedSegment(segment).process) else { return }
      _ = try? inspection.survey()
      guard let found = try? inspection.verify() else { return }
      try promise(found.recordBytes <= segment.count && found.storedBytes <= segment.count, "more than there is")
      // A codec of a user may make more of them.
      try promise(
        found.unknownCodecs > 0 || found.decodedBytes <= found.storedBytes * 255, "\(found.decodedBytes) decoded bytes")
      try promise(isForged || served <= found.chunks || found.segments == 0, "what is served is not verified")
    },
    FuzzTarget("footers", seeds: footers) { bytes in
      var input = FuzzInput(bytes)
      let end = input.number()
      let payload = Array(input.rest)
      if let footer = payload.withUnsafeBytes({ SpillFooter($0, at: end) }) {
        try promise(footer.entries.allSatisfy { $0.offset >= 64 && $0.offset < end }, "a chunk outside of the segment")
        var written = [UInt8](repeating: 0, count: footer.byteCount)
        written.withUnsafeMutableBytes { footer.write(to: $0) }
        try promise(written.withUnsafeBytes { SpillFooter($0, at: end) } == footer, "it is written otherwise")
      }
      if let identity = payload.withUnsafeBytes({ SpillIdentity($0) }) {
        try promise(identity.bytes == payload && !identity.id.isEmpty, "another identity")
        let block = input.number()
        try promise((0...1 << identity.shift).contains(identity.count(ofBlock: block)), "block \(block) is too large")
      }
    },
  ]

  private static let footers: [[UInt8]] = {
    let segment = ForgedSegment.written(isSealed: true)
    let place = segment.withUnsafeBytes { Int($0.number(segment.count - 24, UInt64.self)) }
    let payload = Array(segment[place + 64..<segment.count - 32])
    // Ends at Int.max, and at 255.
    return [[1, 0] + payload, [0, 255] + payload, [1, 0] + payload[40...]]
  }()
}
