#if Serve
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import RangeIO
  internal import RangeIONIO

  extension Responder {
    /// Sends `answer`. What is short goes out at once; else the next piece is read when the connection has taken the one
    /// before, so that a slow client keeps no more than one of them in memory.
    ///
    /// - Throws: what the source or the connection throws. The body has ended early then, and never as if it were
    ///   complete: its length was announced.
    @concurrent func send(
      _ answer: consuming Answer, isHead: Bool, _ writer: consuming ResponseWriter, to client: ConnectedClient
    ) async throws {
      try client.check()
      let head = HTTPResponse(status: answer.status, headerFields: answer.fields)
      guard !isHead else { return try await writer.writeResponse(head) }
      // The first piece goes when it is sent, and not with the answer.
      let content = answer.body
      _ = consume answer
      switch content {
      case .none: try await writer.writeResponse(head)
      case .buffer(let buffer) where client.isOnStream && buffer.readableBytes > Self.maxUncounted:
        // Its end waits until the stream has taken the rest, and counts as an answer under way until then: a client has many
        // streams, and need not take from any.
        sent(buffer.readableBytes, to: client)
        var body = try await writer.writeHead(head)
        try await body.write(buffer)
        try await body.finish(nil)
      case .buffer(let buffer):
        sent(buffer.readableBytes, to: client)
        try await writer.write(response: head, body: ResponseBody(byteBuffer: buffer))
      case .range, .multipart:
        var body: any ResponseBodyWriter = try await writer.writeHead(head)
        do {
          try await sendPieces(of: consume content, &body, to: client)
          try await body.finish(nil)
        } catch {
          counters.wasCut()
          if !(error is CancellationError), !(error is ChannelError) {
            logger.debug("answer cut off", metadata: ["error": "\(LoggedText.line("\(error)"))"])
          }
          throw error
        }
      }
    }

    /// The most bytes that may wait in a stream for a client, and no answer be counted for them.
    static let maxUncounted = 8 * 1024

    private func sent(_ count: Int, to client: ConnectedClient) {
      counters.sent(count)
      client.bodyBytes.add(count)
    }

    @concurrent private func sendPieces(
      of content: consuming Answer.Body, _ body: inout any ResponseBodyWriter, to client: ConnectedClient
    ) async throws {
      switch consume content {
      case .none, .buffer: break
      case .range(let object, let first, let rest):
        try await send(consume first, rest, of: object, &body, to: client)
      case .multipart(let object, let parts, let first, let rest):
        try await body.write(ByteBuffer(string: parts.head(at: 0)))
        try await send(consume first, rest, of: object, &body, to: client)
        for index in parts.ranges.indices.dropFirst() {
          try await body.write(ByteBuffer(string: parts.head(at: index)))
          try await send(ByteBuffer(), parts.ranges[index], of: object, &body, to: client)
        }
        try await body.write(ByteBuffer(string: parts.end))
      }
    }

    @concurrent private func send(
      _ first: consuming ByteBuffer, _ rest: Range<Int>, of object: OpenObject, _ body: inout any ResponseBodyWriter,
      to client: ConnectedClient
    ) async throws {
      if first.readableBytes > 0 {
        sent(first.readableBytes, to: client)
        try await body.write(first)
        first = ByteBuffer()
      }
      var rest = rest
      while !rest.isEmpty {
        // Waits until the connection takes more, with nothing in hand.
        try await body.write(contentsOf: EmptyCollection<ByteBuffer>())
        try await client.yield()
        let end = object.endOfPiece(of: rest)
        let piece: ByteBuffer
        do {
          piece = ByteBuffer(try await object.snapshot.read(rest.lowerBound..<end, goingOnTo: rest.upperBound))
        } catch let error as ReadError where error.code == .sourceChanged {
          // The head is out, so this answer is cut. The next one begins with the version that is there.
          object.outdate()
          throw error
        }
        rest = end..<rest.upperBound
        sent(piece.readableBytes, to: client)
        try await body.write(piece)
      }
    }
  }
#endif
