#if HTTP

  import RangeIO
  import RangeIOHTTPTestServer

  extension Bytes {
    /// `true` if these are the bytes of `range` of an object that was made as `version`.
    func areContent(_ range: Range<Int>, version: Int = 1) -> Bool {
      self == Bytes(ServedObject.content(range, version: version))
    }
  }

#endif
