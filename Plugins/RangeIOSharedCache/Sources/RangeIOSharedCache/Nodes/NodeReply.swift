#if SharedCache
  internal import RangeIO

  /// The answer of a node to one command.
  enum NodeReply: Sendable {
    case value(Bytes)
    /// There is no value, and the lease is the asker's.
    case leased
    /// There is no value, and another one has the lease.
    case awaited
    case missing
    case stored
    /// The node refuses the command: a value that is too large, memory that is full, a password that is wrong.
    case refused(String)
  }

  /// The bytes of a connection mean nothing, or those of another command. The connection must be closed.
  struct ProtocolFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Makes replies of the bytes of a connection, in any pieces.
  protocol ReplyParser: Sendable {
    /// Takes the next bytes, and calls `emit` with each reply that is complete.
    mutating func consume(
      _ bytes: UnsafeRawBufferPointer, _ emit: (NodeReply) throws -> Void
    ) throws
  }

  /// A value that arrives in pieces, in memory of exactly its size, with the line end after it.
  struct ArrivingValue: Sendable {
    private let memory: ValueMemory
    /// Counts the line end as well.
    private var taken = 0

    init(count: Int) { memory = ValueMemory(count: count) }

    /// Takes bytes from `position` to the end of the line, and moves `position` after it. `nil`: it goes on in the next
    /// piece. Take nothing more after a value was returned.
    mutating func take(_ piece: UnsafeRawBufferPointer, _ position: inout Int) throws -> Bytes? {
      let size = memory.bytes.count
      let part = min(max(0, size - taken), piece.count - position)
      UnsafeMutableRawBufferPointer(rebasing: memory.bytes[min(taken, size)...].prefix(part))
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[position..<position + part]))
      position += part
      taken += part
      while taken >= size, position < piece.count {
        guard piece[position] == (taken == size ? UInt8(ascii: "\r") : UInt8(ascii: "\n")) else {
          throw ProtocolFault("a value without an end")
        }
        position += 1
        taken += 1
        guard taken == size + 2 else { continue }
        // Safe: nothing writes to the memory any more, and `Bytes` keeps it.
        return Bytes(unsafeNoCopy: UnsafeRawBufferPointer(memory.bytes), owner: memory)
      }
      return nil
    }
  }

  /// A line that arrives in pieces.
  struct ArrivingLine: Sendable {
    /// Longer ones are no protocol of ours.
    static let maxLength = 4096
    private var bytes: [UInt8] = []

    /// Takes bytes from `position` to the end of the line, and moves `position` after it. `nil`: it goes on in the next
    /// piece.
    mutating func take(_ piece: UnsafeRawBufferPointer, _ position: inout Int) throws -> String? {
      let rest = UnsafeRawBufferPointer(rebasing: piece[position...])
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let part = rest[..<(end ?? rest.count)]
      guard bytes.count + part.count <= Self.maxLength else { throw ProtocolFault("a line that does not end") }
      bytes += part
      position += part.count
      guard end != nil else { return nil }
      position += 1
      guard bytes.last == UInt8(ascii: "\r") else { throw ProtocolFault("a line without a carriage return") }
      defer { bytes.removeAll(keepingCapacity: true) }
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
  }
#endif
