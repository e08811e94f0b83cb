#if SharedCache
  internal import RangeIO

  /// Replies of Redis and Valkey (RESP3, and RESP2 of older ones), in the order of the commands.
  ///
  /// Source: [RESP specification](https://redis.io/docs/latest/develop/reference/protocol-spec/).
  struct RESPReplyParser: ReplyParser {
    private enum State {
      case line
      case value(ArrivingValue)
      /// So many elements of a reply to the greeting, which says nothing that is needed.
      case skipping(Int)
      case skippingBytes(Int, then: Int)
    }

    private let valueLimit: Int
    private var state = State.line
    private var line = ArrivingLine()

    init(valueLimit: Int) { self.valueLimit = valueLimit }

    mutating func consume(_ bytes: UnsafeRawBufferPointer, _ emit: (NodeReply) throws -> Void) throws {
      var position = 0
      while position < bytes.count {
        switch state {
        case .line:
          guard let text = try line.take(bytes, &position) else { return }
          try begin(text, emit)
        case .value(var value):
          // While it is changed it must have one owner.
          state = .line
          guard let content = try value.take(bytes, &position) else {
            state = .value(value)
            return
          }
          try emit(.value(content))
        case .skipping(let left):
          guard let text = try line.take(bytes, &position) else { return }
          let more = try skip(text)
          let rest = left - 1 + more.elements
          state = more.bytes > 0 ? .skippingBytes(more.bytes, then: rest) : .skipping(rest)
          try finishSkipping(emit)
        case .skippingBytes(let count, let left):
          let part = min(count, bytes.count - position)
          position += part
          state = part < count ? .skippingBytes(count - part, then: left) : .skipping(left)
          try finishSkipping(emit)
        }
      }
    }

    private mutating func finishSkipping(_ emit: (NodeReply) throws -> Void) throws {
      guard case .skipping(0) = state else { return }
      state = .line
      try emit(.stored)
    }

    private mutating func begin(_ text: String, _ emit: (NodeReply) throws -> Void) throws {
      let rest = String(text.dropFirst())
      switch text.utf8.first {
      case UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: "("):
        try emit(.stored)
      case UInt8(ascii: "-"): try emit(.refused(rest))
      case UInt8(ascii: "_"): try emit(.missing)
      case UInt8(ascii: "$"):
        let count = try Self.number(rest)
        guard count >= 0 else { return try emit(.missing) }
        guard count <= valueLimit else { throw ProtocolFault("a value of \(count) bytes") }
        state = .value(ArrivingValue(count: count))
      case UInt8(ascii: "*"), UInt8(ascii: "%"):
        let count = try Self.number(rest)
        guard count >= 0 else { return try emit(.missing) }
        guard count <= 1024 else { throw ProtocolFault("an answer of \(count) elements") }
        state = .skipping(text.utf8.first == UInt8(ascii: "%") ? 2 * count : count)
        try finishSkipping(emit)
      default: throw ProtocolFault("'\(text.prefix(64))', which is no answer of Redis")
      }
    }

    /// The elements and bytes that follow the line of an aggregate's element.
    private func skip(_ text: String) throws -> (elements: Int, bytes: Int) {
      let rest = String(text.dropFirst())
      switch text.utf8.first {
      case UInt8(ascii: "$"), UInt8(ascii: "="):
        let count = try Self.number(rest)
        guard count <= valueLimit else { throw ProtocolFault("an element of \(count) bytes") }
        return (0, count < 0 ? 0 : count + 2)
      case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: "%"):
        let count = try Self.number(rest)
        guard count <= 1024 else { throw ProtocolFault("an answer of \(count) elements") }
        return (max(0, text.utf8.first == UInt8(ascii: "%") ? 2 * count : count), 0)
      default: return (0, 0)
      }
    }

    private static func number(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw ProtocolFault("a length '\(text.prefix(32))'") }
      return number
    }
  }
#endif
