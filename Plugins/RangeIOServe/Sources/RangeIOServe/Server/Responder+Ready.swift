#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import RangeIO
  internal import RangeIONIO
  internal import RangeIORemote

  extension Responder {
    /// The answer to `head`, if nothing must be waited for: the object was looked for lately, and a cache or the page cache
    /// has the bytes.
    ///
    /// - Parameter lately: what the connection asked for last.
    func readyAnswer(to head: HTTPRequest, lately: inout ReadyTarget?) -> Answer? {
      let fields = head.headerFields
      // The last request of a connection, and bodies, are for the loop of the connection.
      guard head.method == .get || head.method == .head,
        !fields.contains(.connection), !fields.contains(.contentLength), !fields.contains(.transferEncoding),
        let place = lately.flatMap({ $0.isMeant(by: head) ? $0 : nil }) ?? readyTarget(of: head)
      else { return nil }
      // The first time, a password costs more than a loop has.
      if authenticator.isNeeded, authenticator.knownUser(head) == nil { return nil }
      guard let object = place.pool.ready(place.path) else { return nil }
      lately = place
      // Which of them is the best may have to be looked for.
      guard codings(head).isEmpty else { return nil }
      var answer: Answer
      switch outline(of: Representation(object, at: place.path, for: place.target), head) {
      case .finished(let finished): answer = finished
      case .range(let status, let fields, let range):
        guard head.method == .get, range.count <= RangeServer.Configuration.pieceSize else { return nil }
        guard !range.isEmpty else {
          answer = Answer(status, fields)
          break
        }
        guard let bytes = object.snapshot.answer(range) else { return nil }
        answer = Answer(status, fields, .buffer(ByteBuffer(bytes)))
      case .parts: return nil
      }
      finish(&answer, to: head)
      return answer
    }

    private func readyTarget(of head: HTTPRequest) -> ReadyTarget? {
      // `try?`: what is not found is told by the answer that may wait.
      guard refusal(of: head) == nil, let authority = head.authority, let text = head.path,
        text.utf8.count <= Self.maxTarget, let target = RequestTarget(text), target.names.first != Mounts.reserved,
        !target.endsInSlash,
        case .below(let pool, let path) = try? mounts.place(of: target.names)
      else { return nil }
      return ReadyTarget(authority: authority, text: text, target: target, pool: pool, path: path)
    }
  }

  /// Where a request leads that is for this server, and for an object that is open. Of a connection the next one is most often for
  /// another part of the same object.
  struct ReadyTarget {
    fileprivate let authority: String
    fileprivate let text: String
    fileprivate let target: RequestTarget
    fileprivate let pool: ObjectPool
    fileprivate let path: [ServedName]

    fileprivate func isMeant(by head: HTTPRequest) -> Bool {
      // A second `Host` is refused.
      head.path == text && head.authority == authority && !head.headerFields.contains(.host)
    }
  }
#endif
