#if SharedCache
  internal import NIOCore
  internal import RangeIO
  internal import RangeIOSupport

  /// Commands of Redis and Valkey.
  struct RESPCommands: CommandWriter {
    /// Before the names of keys, so that they stand apart from those of other programs.
    static let prefix = "rangeio:"

    func greet(_ login: NodeLogin?, into buffer: inout ByteBuffer) -> NodeGreeting {
      if let login {
        let user = login.user.isEmpty ? "default" : login.user
        Self.write(["HELLO", "3", "AUTH", user, login.password], into: &buffer)
      } else {
        Self.write(["HELLO", "3"], into: &buffer)
      }
      return .greeting
    }

    /// The greeting has logged in.
    func logIn(_ login: NodeLogin, into buffer: inout ByteBuffer) {}

    func probe(into buffer: inout ByteBuffer) { Self.write(["PING"], into: &buffer) }

    func get(_ key: SharedBlockKey, lease: Duration?, into buffer: inout ByteBuffer) {
      Self.write(["GET", Self.name(key)], into: &buffer)
    }

    /// Asks for the lease of a key that has no value.
    func lease(_ key: SharedBlockKey, for time: Duration, into buffer: inout ByteBuffer) {
      Self.write(
        ["SET", Self.name(key) + ":lease", "1", "NX", "PX", "\(Self.milliseconds(time))"], into: &buffer)
    }

    func set(_ key: SharedBlockKey, _ value: Bytes, lifetime: Duration, into buffer: inout ByteBuffer) {
      let name = Self.name(key)
      buffer.writeString("*5\r\n$3\r\nSET\r\n$\(name.utf8.count)\r\n\(name)\r\n$\(value.count)\r\n")
      value.forEachSpan { span in span.withUnsafeBytes { _ = buffer.writeBytes($0) } }
      let time = "\(Self.milliseconds(lifetime))"
      buffer.writeString("\r\n$2\r\nPX\r\n$\(time.utf8.count)\r\n\(time)\r\n")
    }

    private static func name(_ key: SharedBlockKey) -> String { prefix + Base64.text(key.digest) }

    /// At least one, and at most a year.
    private static func milliseconds(_ time: Duration) -> Int64 {
      let (seconds, attoseconds) = min(max(time, .milliseconds(1)), .seconds(31_536_000)).components
      return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    private static func write(_ words: [String], into buffer: inout ByteBuffer) {
      buffer.writeString("*\(words.count)\r\n")
      for word in words { buffer.writeString("$\(word.utf8.count)\r\n\(word)\r\n") }
    }
  }
#endif
