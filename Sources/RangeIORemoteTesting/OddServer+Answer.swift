#if HTTP
  internal import RangeIOHTTPTestServer

  extension OddServer {
    /// Something that a server should not answer, and some do.
    ///
    /// An answer applies to the requests that it is about: one about ranges to `GET` with a `Range` that the object has, one
    /// about `HEAD` to `HEAD`. Other requests get the right answer.
    public struct Answer: Sendable, CustomStringConvertible {
      let odd: OddAnswer

      /// What it is, in words. No two answers of ``all`` have the same.
      public var name: String { odd.name }
      /// The name.
      public var description: String { odd.name }

      /// All that a client can tell from right ones or has no need to.
      public static let all = OddAnswer.all.map { Answer(odd: $0) }

      /// The answer of this name among ``all``.
      public static func named(_ name: String) -> Answer? { all.first { $0.name == name } }

      private static func numbered(_ lie: NumberedAnswer, form: Int = 0) -> Answer {
        Answer(odd: OddAnswer(lie, form: form))
      }
    }
  }

  // MARK: ranges

  extension OddServer.Answer {
    /// 200 with the whole object to a request for a range.
    public static let ignoresRange = numbered(.wholeForRange)
    /// 200 with the whole object to a request for a range that begins at 0.
    public static let ignoresRangeAtStart = numbered(.wholeForSmall)
    /// The right part with status 200 in place of 206.
    public static let partAsWhole = numbered(.wholeWithContentRange)
    /// 206 without `Content-Range`.
    public static let noContentRange = numbered(.partWithoutContentRange)
    /// 206 with another range of the same length; `Content-Range` says so.
    public static let wrongRange = numbered(.anotherStart)
    /// 206 with the first half of the range; `Content-Range` says so.
    public static let shorterRange = numbered(.shorterPart)
    /// 206 with up to 4 KiB more than the range; `Content-Range` says so.
    public static let longerRange = numbered(.longerPart)
    /// 206 whose `Content-Range` does not know the size of the object.
    public static let unknownTotal = numbered(.unknownTotal)
    /// 206 whose `Content-Range` has a size that is one too large.
    public static let wrongTotal = numbered(.anotherTotal)
    /// 206 with the range as `multipart/byteranges` of one part.
    public static let multipart = numbered(.multipart)
    /// 416 to a range that the object has.
    public static let notSatisfiable = numbered(.notSatisfiableWithTotal)
    /// `Accept-Ranges: none` beside a right answer.
    public static let deniesRanges = numbered(.noAcceptRanges)
    /// Right heads over bytes of another place. It is not among ``all``: nothing sees it but a digest.
    public static let shiftedBytes = OddServer.Answer(odd: .shiftedBytes)
  }

  // MARK: lengths and codings

  extension OddServer.Answer {
    /// A body that is 100 bytes shorter than its `Content-Length`; then the connection is closed.
    public static let shortBody = numbered(.wrongLengths, form: 2)
    /// A body that is twice as long as its `Content-Length`; then the connection is closed.
    public static let longBody = numbered(.wrongLengths, form: 1)
    /// Two fields `Content-Length` that differ.
    public static let twoLengths = numbered(.wrongLengths)
    /// The right part in chunks of 1,000 bytes, without `Content-Length`. HTTP/1.1 only.
    public static let chunked = numbered(.chunkedPart)
    /// `Content-Encoding: gzip` over bytes that are no gzip.
    public static let gzip = numbered(.contentEncoding)
    /// `HEAD` with the length of a coded body.
    public static let gzipHead = numbered(.encodedLengthOfHead)
    /// `HEAD` without `Content-Length`.
    public static let headWithoutLength = numbered(.headWithoutLength)
    /// More bytes behind the body. HTTP/1.1 only.
    public static let bytesAfterBody = numbered(.bytesAfterBody)
    /// A field of 128 KiB in the head.
    public static let hugeField = numbered(.giantHeaders)
    /// 2,000 fields in the head.
    public static let manyFields = numbered(.giantHeaders, form: 1)
  }

  // MARK: refusals

  extension OddServer.Answer {
    /// This status and a line of text, whatever the request.
    ///
    /// - Parameters:
    ///   - status: three digits; what HTTP does not know is sent as well.
    ///   - retryAfter: the seconds of a field `Retry-After`; `nil`: none.
    public static func status(_ status: Int, retryAfter: Int? = nil) -> OddServer.Answer {
      OddServer.Answer(odd: .status(status, retryAfter: retryAfter))
    }
    /// 404 to each request with a `Range`.
    public static let gone = numbered(.goneInMidRead)
    /// 401 with a challenge.
    public static let unauthorized = numbered(.unauthorized)
    /// 403 to `HEAD`.
    public static let forbidsHead = numbered(.forbiddenHead)
    /// 405 to `HEAD`.
    public static let noHead = numbered(.unsupportedHead)
    /// 412 to each request with `If-Match`.
    public static let preconditionFailed = numbered(.preconditionFailed)
    /// 400 to each request with `If-Match`.
    public static let refusesConditions = numbered(.refusedConditions, form: 1)
    /// 204 to a request for a range.
    public static let noContent = numbered(.unaskedStatus)
    /// 304 to a request without a condition.
    public static let notModified = numbered(.unaskedStatus, form: 2)
    /// 503 with a date in `Retry-After`, by a clock that is an hour ahead.
    public static let busyUntil = numbered(.retryAtDate)
    /// 200 with a page of HTML that asks to sign in, as in a hotel.
    public static let signInPage = numbered(.captivePortal)
  }

  // MARK: versions

  extension OddServer.Answer {
    /// The object is another one after each `count` requests, and the first one again after as many more: all its bytes are
    /// inverted, and its tag and time differ. Conditions are heeded.
    public static func changes(after count: Int) -> OddServer.Answer { OddServer.Answer(odd: .changes(after: count)) }
    /// The object is another one at every second request: ``changes(after:)`` with 1.
    public static let changesBetween = changes(after: 1)
    /// No `ETag`.
    public static let noTag = numbered(.noTag)
    /// Neither `ETag` nor `Last-Modified`.
    public static let noVersion = numbered(.noTag, form: 1)
    /// A weak `ETag`.
    public static let weakTag = numbered(.weakTag)
    /// Two tags in turn for the same bytes, as from two machines.
    public static let changingTag = numbered(.alternatingTags)
    /// An `ETag` without quotes.
    public static let unquotedTag = numbered(.unquotedTag)
    /// No `ETag`, and a `Last-Modified` of this second.
    public static let changedJustNow = numbered(.youngLastModified)
    /// What the server had before ``OddServer/serve(_:)``, as from a cache, unless `Cache-Control: no-cache` is asked for.
    public static let stale = numbered(.staleCache)
    /// Another `Vary` in each answer.
    public static let changingVary = numbered(.flippingVary)
  }

  // MARK: redirects

  extension OddServer.Answer {
    /// 302 to a server of another origin, which answers right.
    public static let redirectsElsewhere = numbered(.originRedirect)
    /// 301 to a server of the other scheme: from `http` to `https`, or back.
    public static let redirectsToOtherScheme = numbered(.schemeRedirect)
    /// 307 to a place that leads back to itself.
    public static let redirectLoop = numbered(.redirectLoop)
    /// 308 to a relative place with dots in its path.
    public static let relativeRedirect = numbered(.oddLocation)
    /// 307 to a signed place that refuses with 403 from its third use on.
    public static let expiringRedirect = numbered(.expiringLocation)
    /// 307 to a place that refuses: 403 and 410 in turn.
    public static let refusesAfterRedirect = numbered(.refusedAfterRedirect)
  }

  // MARK: connections

  extension OddServer.Answer {
    /// The connection is reset before byte `count` of the body, or at its end if it is shorter.
    public static func resets(after count: Int) -> OddServer.Answer {
      OddServer.Answer(odd: .cut("a reset after \(count) bytes", .reset, after: count))
    }
    /// The connection is closed before byte `count` of the body, or at its end if it is shorter.
    public static func closes(after count: Int) -> OddServer.Answer {
      OddServer.Answer(odd: .cut("an end after \(count) bytes", .close, after: count))
    }
    /// Nothing more comes after `count` bytes of the body, and the connection stays open.
    public static func stalls(after count: Int) -> OddServer.Answer {
      OddServer.Answer(odd: .cut("silence after \(count) bytes", .stall, after: count))
    }
    /// The body comes in parts of `count` bytes, each after a pause. Under way, nothing of your test has to wait for it:
    /// ``OddServer/stop()`` ends it.
    public static func slow(bytes count: Int = 1, every pause: Duration = .milliseconds(20)) -> OddServer.Answer {
      OddServer.Answer(odd: .slow(bytes: count, every: pause))
    }
    /// The answer begins after a pause.
    public static func late(by pause: Duration) -> OddServer.Answer { OddServer.Answer(odd: .late(by: pause)) }
    /// No answer comes, and the connection stays open.
    public static let silent = OddServer.Answer(odd: .silent)
    /// Each request after the first of a connection is answered by a reset, as from a server that closed what it kept open.
    /// HTTP/1.1 only.
    public static let resetsKeptConnection = numbered(.resetOfPooled)
    /// The connection ends with this answer, which comes whole: `Connection: close`, or GOAWAY of HTTP/2.
    public static let lastOfConnection = numbered(.goAway)
    /// The connection ends in the middle of the body, over TLS without close_notify.
    public static let truncates = numbered(.endWithoutNotify)
    /// HTTP/2: the stream is reset in the middle of the body. HTTP/1.1: the connection is.
    public static let resetsStream = numbered(.resetStream)
  }
#endif
