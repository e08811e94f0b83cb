#if SharedCache
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  /// Numbers by a seed (SplitMix64).
  struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
  }

  /// A version that every process recognises.
  struct Tag: SourceDescription.Validator {
    let text: String
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      (newer as? Tag)?.text == text ? .same : .other
    }
    var persistentForm: [UInt8]? { Array(text.utf8) }
  }

  func description(
    _ id: String = "https://a.example/b", tag: String? = "1", byteCount: Int = 1_000_000, isSettled: Bool = true
  ) -> SourceDescription {
    var traits = SourceDescription.Traits()
    traits.isSettled = isSettled
    return SourceDescription(id: id, validator: tag.map { Tag(text: $0) }, byteCount: byteCount, traits: traits)
  }

  extension NodeReply: @retroactive Equatable {
    static func == (a: NodeReply, b: NodeReply) -> Bool {
      switch (a, b) {
      case (.value(let a), .value(let b)): a == b
      case (.leased, .leased), (.awaited, .awaited), (.missing, .missing), (.stored, .stored): true
      case (.refused(let a), .refused(let b)): a == b
      default: false
      }
    }
  }
#endif
