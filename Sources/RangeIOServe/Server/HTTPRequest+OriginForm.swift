#if Serve
  internal import HTTPTypes

  extension HTTPRequest {
    /// The same request with the host and the path of its target, if that is a URL, as it is when sent to a proxy. `Host` counts
    /// for nothing then.
    ///
    /// - Source: RFC 9112, section 3.2.2.
    var inOriginForm: HTTPRequest {
      guard let target = path, target.utf8.first != UInt8(ascii: "/"),
        let start = target.firstRange(of: "://")?.upperBound,
        ["http", "https"].contains(target[..<start].dropLast(3).lowercased())
      else { return self }
      let end = target[start...].firstIndex { $0 == "/" || $0 == "?" } ?? target.endIndex
      var request = self
      request.authority = String(target[start..<end])
      request.path = (target[end...].first == "/" ? "" : "/") + target[end...]
      return request
    }
  }
#endif
