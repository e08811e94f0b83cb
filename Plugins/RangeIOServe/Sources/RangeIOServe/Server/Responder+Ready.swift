#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import RangeIO
  internal import RangeIONIO
  internal import RangeIORemote

  extension Responder {
    /// The answer to `head`, if nothing must be waited for: the object was looked for lately, and a cache or the page cache
    /// has the bytes.
    func readyAnswer(to head: HTTPRequest) -> Answer? {
      let fields = head.headerFields
      // The last request of a connection, and bodies, are for the loop of the connection.
      guard head.method == .get || head.method == .head,
        fields[.connection] == nil,
        fields[.contentLength] == nil, fields[.transferEncoding] == nil, refusal(of: head) == nil,
        let target = head.path.flatMap({ RequestTarget($0) }), target.names.first != Mounts.reserved,
        !target.endsInSlash
      else { return nil }
      // The first time, a password costs more than a loop has.
      if authenticator.isNeeded, authenticator.knownUser(head) == nil { return nil }
      // `try?`: what is not found is told by the answer that may wait.
      guard case .below(let pool, let path) = try? mounts.place(of: target.names), let object = pool.ready(path) else {
        return nil
      }
      // Which of them is the best may have to be looked for.
      guard codings(head).isEmpty else { return nil }
      var answer: Answer
      switch outline(of: Representation(object, at: path, for: target), head) {
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
  }
#endif
