#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import RangeIO

  /// The blocks that reads of this process are looking for: each is looked up and fetched once, and the other reads get it from
  /// the one that began.
  final class OwnFetches: Sendable {
    /// A block, by what costs less than its name in an engine.
    struct Key: Hashable {
      let family: [UInt8]
      let block: Int

      init(_ block: Int, of family: BlockFamily) {
        self.family = family.digest
        self.block = block
      }

      func hash(into hasher: inout Hasher) {
        hasher.combine(block)
        hasher.combine(family.first)
      }
    }

    fileprivate typealias Waiting = AsyncStream<Bytes>.Continuation
    private let waiting = NIOLockedValueBox<[Key: [Waiting]]>([:])

    /// What a read does about a block.
    enum Role {
      /// It looks for it, and calls ``end(_:with:)``, whatever happens.
      case looksForIt
      /// Another read does.
      case waits(Wait)
    }

    /// The bytes of a block that another read looks for.
    struct Wait: Sendable {
      /// Has them, or ends without them.
      let bytes: AsyncStream<Bytes>
      fileprivate let continuation: Waiting

      /// Ends ``bytes`` now.
      func leave() { continuation.finish() }
    }

    func begin(_ key: Key) -> Role {
      waiting.withLockedValue { waiting in
        guard waiting[key] != nil else {
          waiting[key] = []
          return .looksForIt
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Bytes.self)
        waiting[key]?.append(continuation)
        return .waits(Wait(bytes: stream, continuation: continuation))
      }
    }

    /// The search for a block is over. More calls do nothing.
    ///
    /// - Parameter bytes: `nil` if it failed.
    func end(_ key: Key, with bytes: Bytes?) {
      let all = waiting.withLockedValue { $0.removeValue(forKey: key) } ?? []
      for one in all {
        if let bytes { one.yield(bytes) }
        one.finish()
      }
    }

    /// The blocks that are looked for now.
    var count: Int { waiting.withLockedValue { $0.count } }
  }
#endif
