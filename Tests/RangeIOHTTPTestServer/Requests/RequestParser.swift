#if HTTP

  import NIOCore

  /// Finds requests of HTTP/1.1 in what a connection receives. Knows bodies by their Content-Length only.
  struct RequestParser {
    /// What is wrong with a request.
    enum Failure: Error {
      case tooLarge, malformed
    }
    /// The bytes of a head and of a body that are accepted.
    private static let headLimit = 1 << 16
    private static let bodyLimit = 1 << 20
    private var received: [UInt8] = []

    mutating func add(_ buffer: ByteBuffer) { received += buffer.readableBytesView }

    /// The next whole request, if it is there.
    mutating func next() throws(Failure) -> ServerRequest? {
      guard let end = endOfHead else {
        if received.count > Self.headLimit { throw .tooLarge }
        return nil
      }
      var request = try Self.request(of: String(decoding: received[..<end], as: UTF8.self))
      let length = request["Content-Length"].map { Int($0) } ?? 0
      guard let length, length >= 0, length <= Self.bodyLimit else { throw .tooLarge }
      let bodyStart = end + 4
      guard received.count >= bodyStart + length else { return nil }
      request.body = Array(received[bodyStart..<bodyStart + length])
      received.removeFirst(bodyStart + length)
      return request
    }

    /// Where the empty line begins.
    private var endOfHead: Int? {
      guard received.count >= 4 else { return nil }
      return (0...received.count - 4).first { start in
        received[start] == 13 && received[start..<start + 4].elementsEqual([13, 10, 13, 10])
      }
    }

    private static func request(of head: String) throws(Failure) -> ServerRequest {
      // Swift sees CR LF as one character.
      var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
      let words = lines.popFirst()?.split(separator: " ") ?? []
      guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw .malformed }
      var fields: [ServedField] = []
      for line in lines {
        guard let colon = line.firstIndex(of: ":") else { throw .malformed }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        fields.append(ServedField(String(line[..<colon]), String(value)))
      }
      return ServerRequest(method: String(words[0]), target: String(words[1]), fields: fields)
    }
  }

#endif
