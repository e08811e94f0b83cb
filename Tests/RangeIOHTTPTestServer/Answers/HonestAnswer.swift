#if HTTP

  extension ScriptedAnswer {
    /// What a server should answer by RFC 9110: GET and HEAD, one range, If-Match, If-None-Match, If-Range.
    ///
    /// - Parameter date: of the server's clock, in seconds since 1970.
    public static func honest(_ request: ServerRequest, _ object: ServedObject?, date: Int) -> ScriptedAnswer {
      var answer = content(request, object)
      answer.fields.insert(ServedField("Date", HTTPTime.text(date)), at: 0)
      answer.isBodyless = request.method == "HEAD" || answer.status == 204 || answer.status == 304
      return answer
    }

    private static func content(_ request: ServerRequest, _ object: ServedObject?) -> ScriptedAnswer {
      guard request.method == "GET" || request.method == "HEAD" else {
        return ScriptedAnswer(405, [ServedField("Allow", "GET, HEAD")], text: "only GET and HEAD\n")
      }
      guard let object else { return ScriptedAnswer(404, text: "there is nothing at \(request.path)\n") }
      if let wanted = request["If-Match"], !object.tag.isMatched(by: wanted, isWeak: false) {
        return ScriptedAnswer(412, text: "another version\n")
      }
      if let known = request["If-None-Match"], object.tag.isMatched(by: known, isWeak: true) {
        return ScriptedAnswer(304, object.validators)
      }
      guard request.method == "GET", let range = request.range, object.isCurrent(by: request["If-Range"]) else {
        return whole(object)
      }
      guard let resolved = range.resolved(in: object.bytes.count) else {
        return ScriptedAnswer(
          416, [ServedField("Content-Range", "bytes */\(object.bytes.count)"), ServedField("Content-Length", "0")])
      }
      return part(resolved, of: object)
    }

    /// All of `object`, with status 200.
    public static func whole(_ object: ServedObject) -> ScriptedAnswer {
      ScriptedAnswer(
        200, object.validators + object.representation + [ServedField("Content-Length", "\(object.bytes.count)")],
        body: object.bytes[...])
    }

    /// The same of a server without ranges, which does not say that it has some.
    public static func onlyWhole(_ object: ServedObject) -> ScriptedAnswer {
      var answer = whole(object)
      answer.fields["Accept-Ranges"] = nil
      return answer
    }

    /// A range of `object`, with status 206.
    public static func part(_ range: Range<Int>, of object: ServedObject) -> ScriptedAnswer {
      ScriptedAnswer(
        206,
        object.validators + object.representation + [
          ServedField("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.bytes.count)"),
          ServedField("Content-Length", "\(range.count)"),
        ], body: object.bytes[range])
    }
  }

  extension ServedObject {
    fileprivate var representation: [ServedField] {
      [ServedField("Content-Type", contentType), ServedField("Accept-Ranges", "bytes")]
    }

    /// ETag and Last-Modified.
    fileprivate var validators: [ServedField] {
      var fields: [ServedField] = []
      fields["ETag"] = tag.value
      fields["Last-Modified"] = lastModified.map(HTTPTime.text)
      return fields
    }

    /// Whether an If-Range header, if there is one, names this version.
    fileprivate func isCurrent(by condition: String?) -> Bool {
      guard let condition else { return true }
      if case .strong = tag, condition == tag.value { return true }
      return lastModified.map(HTTPTime.text) == condition
    }
  }

  extension ServedObject.Tag {
    /// Whether a list of tags, or `*`, has this one. By the strong comparison a weak tag matches nothing.
    fileprivate func isMatched(by list: String, isWeak: Bool) -> Bool {
      if list == "*" { return true }
      guard let value else { return false }
      func opaque(_ tag: some StringProtocol) -> String { String(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]) }
      return list.split(separator: ",").contains { part in
        let tag = part.drop { $0 == " " }
        return isWeak ? opaque(tag) == opaque(value) : tag == value && !value.hasPrefix("W/")
      }
    }
  }

#endif
