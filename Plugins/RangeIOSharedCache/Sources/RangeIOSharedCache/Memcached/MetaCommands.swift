#if SharedCache
  internal import NIOCore
  internal import RangeIO
  internal import RangeIOSupport

  /// Commands of memcached's meta protocol, with a number each.
  struct MetaCommands: CommandWriter {
    private var number: UInt32 = 0

    mutating func get(_ key: SharedBlockKey, lease: Duration?, into buffer: inout ByteBuffer) {
      buffer.writeString("mg \(Base64.text(key.digest)) b v O\(number)")
      // Without a value it makes an empty one, for the one who asks first: that is the lease.
      if let lease { buffer.writeString(" N\(Self.seconds(lease))") }
      buffer.writeString("\r\n")
      number &+= 1
    }

    mutating func set(_ key: SharedBlockKey, _ value: Bytes, lifetime: Duration, into buffer: inout ByteBuffer) {
      buffer.writeString("ms \(Base64.text(key.digest)) \(value.count) b O\(number) T\(Self.seconds(lifetime))\r\n")
      value.forEachSpan { span in span.withUnsafeBytes { _ = buffer.writeBytes($0) } }
      buffer.writeString("\r\n")
      number &+= 1
    }

    mutating func probe(into buffer: inout ByteBuffer) {
      buffer.writeString("mn\r\n")
      number &+= 1
    }

    /// A node that was not started with `-Y` would keep the login as a value, for everyone to read.
    mutating func greet(_ login: NodeLogin?, into buffer: inout ByteBuffer) -> NodeGreeting {
      guard login != nil else { return .nothing }
      probe(into: &buffer)
      return .question
    }

    /// For a node that was started with `-Y`.
    mutating func logIn(_ login: NodeLogin, into buffer: inout ByteBuffer) {
      let text = "\(login.user) \(login.password)"
      buffer.writeString("set auth 0 0 \(text.utf8.count)\r\n\(text)\r\n")
      number &+= 1
    }

    /// At least one, and less than what memcached takes for a point of time.
    private static func seconds(_ time: Duration) -> Int64 {
      min(max(time, .seconds(1)), .seconds(2_591_999)).components.seconds
    }
  }
#endif
