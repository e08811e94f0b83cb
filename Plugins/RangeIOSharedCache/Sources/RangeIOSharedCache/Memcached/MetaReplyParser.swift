#if SharedCache
  internal import RangeIO

  /// Replies of memcached's meta protocol, in the order of the commands.
  ///
  /// Each command has an opaque number, which the node repeats: a reply of another command is noticed.
  ///
  /// Source: [memcached, protocol.txt](https://github.com/memcached/memcached/blob/master/doc/protocol.txt).
  struct MetaReplyParser: ReplyParser {
    private enum State {
      case line
      case value(ArrivingValue, Flags)
    }

    private struct Flags {
      var opaque: UInt32?
      var isLeased = false
      var isAwaited = false

      init(_ words: ArraySlice<Substring>) throws {
        for word in words {
          switch word.first {
          case "O":
            guard let number = UInt32(word.dropFirst()) else { throw ProtocolFault("an opaque number '\(word)'") }
            opaque = number
          case "W": isLeased = true
          case "Z": isAwaited = true
          default: break
          }
        }
      }
    }

    private let valueLimit: Int
    private var state = State.line
    private var line = ArrivingLine()
    /// The number of the next reply.
    private var expected: UInt32 = 0

    /// - Parameter valueLimit: longer values are no values of ours.
    init(valueLimit: Int) { self.valueLimit = valueLimit }

    mutating func consume(_ bytes: UnsafeRawBufferPointer, _ emit: (NodeReply) throws -> Void) throws {
      var position = 0
      while position < bytes.count {
        switch state {
        case .line:
          guard let text = try line.take(bytes, &position) else { return }
          try begin(text, emit)
        case .value(var value, let flags):
          // While it is changed it must have one owner.
          state = .line
          guard let content = try value.take(bytes, &position) else {
            state = .value(value, flags)
            return
          }
          try reply(content.isEmpty ? Self.withoutValue(flags) : .value(content), flags, emit)
        }
      }
    }

    /// The meaning of a value of no bytes: there is none, with the state of its lease.
    private static func withoutValue(_ flags: Flags) -> NodeReply {
      flags.isLeased ? .leased : flags.isAwaited ? .awaited : .missing
    }

    private mutating func begin(_ text: String, _ emit: (NodeReply) throws -> Void) throws {
      let words = text.split(separator: " ")
      switch words.first {
      case "VA":
        guard words.count >= 2, let count = Int(words[1]), count >= 0 else { throw ProtocolFault("a value '\(text)'") }
        guard count <= valueLimit else { throw ProtocolFault("a value of \(count) bytes") }
        state = .value(ArrivingValue(count: count), try Flags(words[2...]))
      case "MN": try reply(.stored, nil, emit)
      case "EN": try reply(.missing, nil, emit)
      case "HD": try reply(.stored, try Flags(words[1...]), emit)
      case "NS", "EX", "NF": try reply(.refused(String(words[0])), try Flags(words[1...]), emit)
      // Without flags, so without a number: each is of one command, in its turn.
      case "SERVER_ERROR", "CLIENT_ERROR", "STORED":
        try reply(words[0] == "STORED" ? .stored : .refused(text), nil, emit)
      default: throw ProtocolFault("'\(text.prefix(64))', which is no answer of memcached")
      }
    }

    private mutating func reply(_ reply: NodeReply, _ flags: Flags?, _ emit: (NodeReply) throws -> Void) throws {
      if let opaque = flags?.opaque, opaque != expected { throw ProtocolFault("an answer of another command") }
      expected &+= 1
      try emit(reply)
    }
  }
#endif
