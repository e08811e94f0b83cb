import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the source of ``StagesModel`` holds, and what a reader of it has to see, made once for all runs.
///
/// Encoded: a header, then blocks, each turned round by as many bytes as its number says and with that number behind it.
/// A block that is decoded in the place of another shows.
enum StagesContent {
  static let byteCount = 150_000
  static let decoded = [UInt8](SyntheticSource.bytes(0..<byteCount))
  static let encoded = Bytes(encode())
  static let headerSize = 13
  static let blockSize = 700
  private static let tagSize = 3
  static let encodedBlockSize = blockSize + tagSize
  static let digestSize = 1000
  static let encodedDigests = digests(of: encoded)
  static let decodedDigests = digests(of: Bytes(decoded))

  static func decode(_ block: Int, _ bytes: Bytes) throws -> Bytes {
    let count = bytes.count - tagSize
    guard Array(bytes.slice(count..<bytes.count)) == tag(block) else {
      throw ReadError(.corrupted, "the number behind block \(block) is another", isTransient: true)
    }
    let turn = turn(block, count)
    return Bytes(concatenating: [bytes.slice(turn..<count), bytes.slice(0..<turn)])
  }

  private static func encode() -> [UInt8] {
    var all = [UInt8](repeating: 0xA5, count: headerSize)
    for (block, start) in stride(from: 0, to: byteCount, by: blockSize).enumerated() {
      let bytes = decoded[start..<min(start + blockSize, byteCount)]
      let turn = turn(block, bytes.count)
      all += bytes.suffix(turn)
      all += bytes.dropLast(turn)
      all += tag(block)
    }
    return all
  }

  private static func turn(_ block: Int, _ count: Int) -> Int { (block * 31 + 1) % count }

  private static func tag(_ block: Int) -> [UInt8] {
    (0..<tagSize).map { UInt8(truncatingIfNeeded: block >> ($0 * 8)) }
  }

  private static func digests(of bytes: Bytes) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: digestSize).map { start in
      quickHash(bytes.slice(start..<min(start + digestSize, bytes.count)))
    }
  }
}

/// A source of which one read in ten fails, brings a wrong byte, dawdles or hangs.
final class StagesModelSource: RangeSource {
  private let time: ReadClock
  private let cost: SourceDescription.Cost
  private let state: Locked<(random: TestRandom, faults: Int)>

  init(_ simulation: Simulation, cost: SourceDescription.Cost) {
    time = simulation.time
    self.cost = cost
    state = Locked((TestRandom(simulation.seed &* 7 &+ 1), 0))
  }

  var faults: Int { state.withLock { $0.faults } }

  func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "model", validator: HeldSource.Version(number: 0), byteCount: StagesContent.encoded.count,
      traits: .with { $0.cost = cost })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let fault = state.withLock { state -> Int? in
      guard state.random.below(10) == 0 else { return nil }
      state.faults += 1
      return state.random.below(6)
    }
    try await time.sleep(for: .microseconds(2000 + range.count / 10))
    let bytes = StagesContent.encoded.slice(range)
    switch fault {
    case 0, 1: throw ReadError.passing
    case 2: throw ReadError.lasting
    case 3:
      var copy = Array(bytes)
      copy[copy.count / 2] ^= 1
      return Bytes(copy)
    case 4: try await time.sleep(for: .milliseconds(200))
    case 5: try await Promise<Void>().value()
    default: break
    }
    return bytes
  }
}
