#if HTTP

  extension OddAnswer {
    /// What happens on the connection: breaks, answers that nobody asked for, bytes that are no body.
    static let wires: [OddAnswer] =
      [
        OddAnswer("the answer twice at once", .either) { $0.honest.twice(after: 0) },
        OddAnswer("the answer twice, the second time later", .either) { $0.honest.twice(after: 1) },
        wire("bytes behind the answer that are no HTTP", .either) { $0.trailing = Array("rubbish\r\n".utf8) },
        OddAnswer("HEAD that shows nothing of the version", .either) { context in
          guard context.request.method == "HEAD" else { return nil }
          var answer = context.honest
          answer.fields["ETag"] = nil
          answer.fields["Last-Modified"] = nil
          return answer
        },
        OddAnswer("HEAD that tells more than there is", .reads) { context in
          guard context.request.method == "HEAD", let object = context.object else { return nil }
          var answer = context.honest
          answer.fields["Content-Length"] = "\(object.bytes.count + 1000)"
          return answer
        },
        wire("no answer at all", .fails("")) { $0.interruptions.append(.init(.stall, at: .head(0))) },
        wire("half a head, and no more", .fails("")) { $0.interruptions.append(.init(.stall, at: .head(20))) },
        wire("the end in the middle of the head", .fails("")) { $0.interruptions.append(.init(.close, at: .head(20))) },
        wire("a reset in the middle of the head", .fails("")) { $0.interruptions.append(.init(.reset, at: .head(20))) },
        OddAnswer("HTTP/2: a flood of PING in the body", .either) {
          $0.honest.interrupted(.pings(300), at: .body($0.honest.isBodyless ? 0 : $0.honest.body.count))
        },
        head("HTTP/1.0 that keeps the connection", .either) { $0.replacing("HTTP/1.1", with: "HTTP/1.0") },
        OddAnswer("HTTP/1.0 that closes the connection", .reads) { context in
          guard var answer = head("", .reads, { $0.replacing("HTTP/1.1", with: "HTTP/1.0") }).answer(context) else {
            return nil
          }
          answer.ending = .close
          return answer
        },
        chunked("chunks that end before the bytes do", .either) { half($0) + Array("0\r\n\r\n".utf8) },
        chunked("chunks without a last one", .either) { half($0) },
        chunked("a chunk that does not end where it says", .fails("")) { half($0).dropLast(2) + $0 },
        chunked("a chunk of no number", .fails("")) { Array("xyz\r\n".utf8) + $0 },
        chunked("a chunk longer than can be", .fails("")) { Array("ffffffffffffffffff\r\n".utf8) + $0 },
      ] + overheads

    /// A mebibyte that is no body, in places that grow, and no end.
    public static let overheads: [OddAnswer] = {
      // Made once: an event loop has better things to do.
      let many = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
      let reason = Array("HTTP/1.1 206 ".utf8) + many
      let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
      let interim = Array(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 40_000).utf8)
      let `extension` = Array("1;x=".utf8) + many
      let trailers = Array("\r\n0\r\nX: ".utf8) + many
      return [
        overhead("a reason of a mebibyte") { $0.preamble = reason },
        overhead("blank lines without end") { $0.preamble = lines },
        overhead("interim heads without end") { $0.preamble = interim },
        overhead("a chunk extension of a mebibyte") { $0.body = `extension`[...] },
        overhead("trailers of a mebibyte") { $0.body = (Array("1\r\n".utf8) + $0.body.prefix(1) + trailers)[...] },
      ]
    }()

    private static func overhead(
      _ name: String, _ change: @escaping @Sendable (inout ScriptedAnswer) -> Void
    ) -> OddAnswer {
      wire(name, .fails(""), isHTTP1: true) { answer in
        let length = answer.body.count
        change(&answer)
        if answer.preamble.isEmpty { answer.becomeChunked() }
        answer.interruptions.append(.init(.stall, at: .body(max(length, answer.body.count))))
      }
    }

    /// The right part of the object, as `frame` puts it into chunks.
    private static func chunked(
      _ name: String, _ outcome: Outcome, _ frame: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> OddAnswer {
      wire(name, outcome, isHTTP1: true) { answer in
        answer.becomeChunked()
        answer.body = frame(Array(answer.body))[...]
        answer.ending = .close
      }
    }

    /// A chunk with the first half of the bytes.
    private static func half(_ bytes: [UInt8]) -> [UInt8] {
      Array("\(String(bytes.count / 2, radix: 16))\r\n".utf8) + bytes.prefix(bytes.count / 2) + Array("\r\n".utf8)
    }

    /// The right part of the object, changed.
    ///
    /// - Parameter isHTTP1: the change makes sense over HTTP/1.1 only. Over HTTP/2 chunks would be bytes of the object.
    private static func wire(
      _ name: String, _ outcome: Outcome, isHTTP1: Bool = false,
      _ change: @escaping @Sendable (inout ScriptedAnswer) -> Void
    ) -> OddAnswer {
      OddAnswer(name, outcome) { context in
        guard context.range != nil, !isHTTP1 || !context.request.isHTTP2 else { return nil }
        var answer = context.honest
        change(&answer)
        return answer
      }
    }
  }

  extension ScriptedAnswer {
    /// The head says so; the body is as it is.
    fileprivate mutating func becomeChunked() {
      fields["Content-Length"] = nil
      fields["Transfer-Encoding"] = "chunked"
    }
  }

#endif
