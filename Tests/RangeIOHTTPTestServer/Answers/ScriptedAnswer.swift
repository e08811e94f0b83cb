#if HTTP

  /// What a ``LyingServer`` sends for one request, byte for byte, and what happens on the way.
  ///
  /// Nothing in it is checked or completed: lengths stand in `fields` as the script put them there, right or wrong.
  public struct ScriptedAnswer: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in their order.
    public var fields: [ServedField]
    /// The body, unless the request was a HEAD.
    public var body: ArraySlice<UInt8>
    /// How the body stands on the wire of HTTP/1.1.
    public var framing = Framing.plain
    /// Whether the body is left out, as HEAD, 204 and 304 demand.
    public var isBodyless = false
    /// HTTP/1.1: the head byte for byte, in place of status and fields.
    public var head: [UInt8]?
    /// HTTP/1.1: bytes that come before the head.
    public var preamble: [UInt8] = []
    /// HTTP/1.1: bytes that follow the body and do not belong to it.
    public var trailing: [UInt8] = []
    /// What happens at certain bytes.
    public var interruptions: [Interruption] = []
    /// What happens to the connection in the end.
    public var ending = Ending.keepAlive

    /// How the body stands on the wire of HTTP/1.1.
    public enum Framing: Hashable, Sendable {
      /// As it is: `fields` has a Content-Length, or the end of the connection ends it.
      case plain
      /// In chunks of at most so many bytes.
      case chunked(Int)
    }

    /// What happens to the connection in the end.
    public enum Ending: Hashable, Sendable {
      /// It waits for the next request.
      case keepAlive
      /// It is closed, with close_notify where there is TLS.
      case close
      /// It is closed without close_notify.
      case closeWithoutNotify
      /// It is reset.
      case reset
    }

    /// Creates an answer.
    public init(_ status: Int, _ fields: [ServedField] = [], body: ArraySlice<UInt8> = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// Creates an answer with a text and its length.
    public init(_ status: Int, _ fields: [ServedField] = [], text: String, type: String = "text/plain") {
      self.init(status, fields, body: Array(text.utf8)[...])
      self.fields["Content-Type"] = type
      self.fields["Content-Length"] = "\(body.count)"
    }

    /// The same, with `action` at `place`.
    public func interrupted(_ action: Interruption.Action, at place: Interruption.Place) -> ScriptedAnswer {
      var answer = self
      answer.interruptions.append(Interruption(action, at: place))
      return answer
    }

    /// HTTP/1.1: the same, sent a second time so many milliseconds later.
    public func twice(after milliseconds: Int) -> ScriptedAnswer {
      var answer = self
      let content = isBodyless ? [] : Array(body)
      answer.trailing = headBytes + content
      return answer.interrupted(.pause(milliseconds: milliseconds), at: .body(content.count))
    }

    /// The same, in drops of so many bytes of the body with a pause before each.
    public func dripping(_ bytes: Int, every milliseconds: Int) -> ScriptedAnswer {
      var answer = self
      for offset in stride(from: 0, to: body.count, by: max(1, bytes)) {
        answer.interruptions.append(Interruption(.pause(milliseconds: milliseconds), at: .body(offset)))
      }
      return answer
    }

    /// The reason phrase of the status.
    var reason: String {
      switch status {
      case 200: "OK"
      case 202: "Accepted"
      case 204: "No Content"
      case 206: "Partial Content"
      case 302: "Found"
      case 304: "Not Modified"
      case 307: "Temporary Redirect"
      case 401: "Unauthorized"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 410: "Gone"
      case 412: "Precondition Failed"
      case 416: "Range Not Satisfiable"
      case 429: "Too Many Requests"
      case 503: "Service Unavailable"
      default: "Status \(status)"
      }
    }
  }

  /// Something that happens in the middle of an answer.
  public struct Interruption: Sendable {
    /// What happens.
    public var action: Action
    /// Before which byte.
    public var place: Place

    /// Creates an interruption.
    public init(_ action: Action, at place: Place) {
      self.action = action
      self.place = place
    }

    /// A place in an answer.
    public enum Place: Hashable, Sendable, Comparable {
      /// Before this byte of the head. Zero: before the answer.
      case head(Int)
      /// Before this byte of the body. Zero: after the head; the length of the body: after it.
      case body(Int)
    }

    /// What happens.
    public enum Action: Sendable {
      /// Nothing, for a time.
      case pause(milliseconds: Int)
      /// Nothing, until the gate is open.
      case wait(ServerGate)
      /// Nothing more, ever.
      case stall
      /// The connection is closed, with close_notify where there is TLS.
      case close
      /// The connection is closed without close_notify.
      case closeWithoutNotify
      /// The connection is reset: what was not received yet is lost.
      case reset
      /// HTTP/2: GOAWAY with this stream as the last. HTTP/1.1: nothing.
      case goAway
      /// HTTP/2: GOAWAY that names an earlier stream as the last, so that this one was not processed. HTTP/1.1: reset.
      case refuseStream
      /// HTTP/2: RST_STREAM. HTTP/1.1: the connection is reset.
      case resetStream
      /// HTTP/2: so many PING frames. HTTP/1.1: nothing.
      case pings(Int)
      /// HTTP/2: so many SETTINGS frames. HTTP/1.1: nothing.
      case settings(Int)
      /// A function of the test is called: replace the object, count, open a gate.
      case call(@Sendable () -> Void)
    }
  }

#endif
