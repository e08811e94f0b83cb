#if Serve
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import RangeIO
  internal import RangeIONIO

  extension Responder {
    /// Sends `answer`. What is short goes out at once; else the next piece is read when the connection has taken the one
    /// before, so that a slow client keeps no more than two of them in memory.
    ///
    /// - Throws: what the source or the connection throws. The body has ended early then, and never as if it were
    ///   complete: its length was announced.
    @concurrent func send(_ answer: Answer, isHead: Bool, _ writer: consuming ResponseWriter) async throws {
      let head = HTTPResponse(status: answer.status, headerFields: answer.fields)
      guard !isHead else { return try await writer.writeResponse(head) }
      switch answer.body {
      case .none: try await writer.writeResponse(head)
      case .buffer(let buffer):
        counters.sent(buffer.readableBytes)
        try await writer.write(response: head, body: ResponseBody(byteBuffer: buffer))
      case .range, .multipart:
        var body: any ResponseBodyWriter = try await writer.writeHead(head)
        do {
          try await sendPieces(of: answer.body, &body)
          try await body.finish(nil)
        } catch {
          counters.wasCut()
          if !(error is CancellationError), !(error is ChannelError) {
            logger.debug("answer cut off", metadata: ["error": "\(error)"])
          }
          throw error
        }
      }
    }

    @concurrent private func sendPieces(of answer: Answer.Body, _ body: inout any ResponseBodyWriter) async throws {
      switch answer {
      case .none, .buffer: break
      case .range(let object, let first, let rest): try await send(first, rest, of: object, &body)
      case .multipart(let object, let parts, let first, let rest):
        for index in parts.ranges.indices {
          try await body.write(ByteBuffer(string: parts.head(at: index)))
          if index == 0 {
            try await send(first, rest, of: object, &body)
          } else {
            try await send(ByteBuffer(), parts.ranges[index], of: object, &body)
          }
        }
        try await body.write(ByteBuffer(string: parts.end))
      }
    }

    @concurrent private func send(
      _ first: ByteBuffer, _ rest: Range<Int>, of object: OpenObject, _ body: inout any ResponseBodyWriter
    ) async throws {
      if first.readableBytes > 0 {
        counters.sent(first.readableBytes)
        try await body.write(first)
      }
      var rest = rest
      while !rest.isEmpty {
        let end = object.endOfPiece(of: rest)
        let piece = ByteBuffer(try await object.snapshot.read(rest.lowerBound..<end, goingOnTo: rest.upperBound))
        rest = end..<rest.upperBound
        counters.sent(piece.readableBytes)
        try await body.write(piece)
      }
    }
  }
#endif
