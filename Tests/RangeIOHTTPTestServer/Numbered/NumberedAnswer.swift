#if HTTP

  /// The answers that a client of ranges must survive, by number. `NumberedAnswerTests` has what a read makes of each.
  public enum NumberedAnswer: Int, CaseIterable, Sendable {
    // Status.
    case wholeForSmall = 1
    case wholeForRange, wholeWithContentRange, partWithoutContentRange, anotherStart, shorterPart, longerPart
    case unknownTotal, anotherTotal, multipart, unaskedStatus, notSatisfiableWithTotal, notSatisfiableBare
    case notSatisfiableOfEmpty, preconditionFailed, unauthorized, forbiddenHead, unsupportedHead, refusedAfterRedirect
    case goneInMidRead, tooManyRequests, retryAtDate, serverFailure, captivePortal
    // Headers.
    case noTag, weakTag, alternatingTags, unquotedTag, youngLastModified, contentEncoding, encodedLengthOfHead
    case headWithoutLength, chunkedPart, wrongLengths, noAcceptRanges, refusedConditions, staleCache, flippingVary
    // Redirects.
    case schemeRedirect, originRedirect, redirectLoop, oddLocation, expiringLocation
    // Transport.
    case resetOfPooled, resetInBody, endWithoutNotify, goAway, resetStream, slowLoris, stallAfterHead, bytesAfterBody
    case giantHeaders, shiftedBytes

    /// The number, from 1 to 53.
    public var number: Int { rawValue }

    /// How many forms the answer has. A script chooses one.
    public var variants: Int {
      switch self {
      case .unknownTotal, .multipart, .notSatisfiableWithTotal, .refusedAfterRedirect, .unsupportedHead: 2
      case .tooManyRequests, .unquotedTag, .noAcceptRanges, .redirectLoop, .oddLocation, .noTag: 2
      case .unaskedStatus, .wrongLengths, .refusedConditions, .giantHeaders: 3
      case .serverFailure: 4
      default: 1
      }
    }
  }

  /// What an answer depends on beside the request.
  public struct AnswerContext: Sendable {
    /// What was asked.
    public var request: ServerRequest
    /// What is at the path, if something is.
    public var object: ServedObject?
    /// What was there before it.
    public var previous: ServedObject?
    /// What a server should answer.
    public var honest: ScriptedAnswer
    /// The scheme, host and port of this server, without a slash at the end.
    public var origin: String
    /// The same of another server for redirects, which has the same objects.
    public var elsewhere: String?
    /// The same of a server with the other scheme (http, https) for redirects.
    public var otherScheme: String?
    /// The server's clock, in seconds since 1970.
    public var date: Int
    /// Which form of an answer is wanted; taken modulo ``NumberedAnswer/variants``.
    public var variant = 0
    /// What the server counts across requests.
    public var memory: ServerMemory

    /// Creates a context, as a server does for each request.
    public init(
      request: ServerRequest, object: ServedObject?, previous: ServedObject? = nil, origin: String,
      elsewhere: String? = nil, otherScheme: String? = nil, date: Int, memory: ServerMemory
    ) {
      self.request = request
      self.object = object
      self.previous = previous
      honest = .honest(request, object, date: date)
      self.origin = origin
      self.elsewhere = elsewhere
      self.otherScheme = otherScheme
      self.date = date
      self.memory = memory
    }

    /// The range asked for, if there is such a range and the honest answer has it.
    var range: Range<Int>? {
      guard honest.status == 206, let object else { return nil }
      return request.range?.resolved(in: object.bytes.count)
    }

    /// Whether a location of a redirect brought the client here.
    public var hop: String? { request.parameter("hop") }
  }

  extension NumberedAnswer {
    /// This answer to a request, or `nil` if it does not apply to it: a lie about HEAD to a GET, one about ranges to a
    /// request without a range, a redirect to a request that followed one.
    public func answer(_ context: AnswerContext) -> ScriptedAnswer? {
      switch number {
      case ...13, 24: statusAnswer(context)
      case ...23: refusal(context)
      case ...32: validatorAnswer(context)
      case ...38: headerAnswer(context)
      case ...43: redirectAnswer(context)
      default: transportAnswer(context)
      }
    }

    /// What a server that gave one of these redirects says at their locations, whatever it is scripted to do else.
    /// `nil` for other requests.
    static func atLocation(_ context: AnswerContext) -> ScriptedAnswer? {
      guard let hop = context.hop else { return nil }
      let parts = hop.split(separator: "-").compactMap { Int($0) }
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case OddAnswer.thereAndBack: return OddAnswer.back(context)
      case Self.refusedAfterRedirect.number where parts[1].isMultiple(of: 2):
        return ScriptedAnswer(parts[1].isMultiple(of: 4) ? 403 : 410, text: "this location was closed\n")
      case Self.expiringLocation.number where context.memory.count("uses of \(hop)") >= 2:
        return ScriptedAnswer(
          403, text: "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
          type: "application/xml")
      case Self.redirectLoop.number:
        return redirectLoop.redirectAnswer(context)
      default:
        return nil
      }
    }
  }

#endif
