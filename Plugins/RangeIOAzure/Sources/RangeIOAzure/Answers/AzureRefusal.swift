#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An answer by which the Blob service refuses a request, and what it means. Pure.
  struct AzureRefusal: Sendable {
    var status: Int
    /// As in `BlobNotFound`; `nil` if it was not the service that answered.
    var code: String?
    /// For people: one line.
    var message: String?
    /// The server's clock, seconds since 1970.
    var serverTime: Int?

    init(_ head: ResponseHead, body: [UInt8]) {
      status = head.status
      code = [head.fields["x-ms-error-code"], XMLText.first("Code", in: body)].lazy
        .compactMap { $0 }.first { XMLText.isName($0) }
      // Numbers of the request follow.
      message = XMLText.first("Message", in: body)?.split(separator: " RequestId:").first.map(String.init)
      serverTime = head.fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970
    }

    /// The request that was refused.
    struct Request: Sendable {
      var method: RequestPlan.Method
      /// `nil` for an anonymous request.
      var access: BlobAccess?
      /// When it was signed, seconds since 1970 by the clock that was assumed.
      var signed: Int?
      var address: AzureAddress
      /// Seconds since 1970 by our clock.
      var now: Int
    }

    /// The service accepts requests that are signed 15 minutes early or late. This many seconds are far off.
    static let tolerance = 600

    /// Decides what to do: mend and ask again, fail, or let the transport decide by the status.
    func verdict(on request: Request) -> RefusalVerdict {
      switch code {
      case nil where status == 401 && request.access?.expires == true: return .mend(.credentials)
      case nil, "ServerBusy", "InternalError", "OperationTimedOut": return .none
      case _ where status == 503: return .none
      case let code? where Self.refusesAccess.contains(code):
        switch request.access {
        case .key:
          guard let serverTime, let signed = request.signed, abs(serverTime - signed) > Self.tolerance else { break }
          return .mend(.clock(offset: serverTime - request.now))
        case .sas, .token: return .mend(.credentials)
        case nil: break
        }
      default: break
      }
      // The answer to a GET tells more: the transport sends one after a verdict of none.
      return request.method == .head ? .none : .fail(failure(request))
    }

    /// Codes that other credentials, or another clock, may help against.
    private static let refusesAccess: Set<String> = [
      "AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation", "ExpiredAuthenticationToken",
    ]

    /// The error: what the service did, and what to do about it.
    func failure(_ request: Request) -> ReadError {
      let meaning = meaning(request)
      let code = code ?? "status \(status)"
      // What is said of a signature may repeat it.
      let text = meaning.code == .permissionDenied ? nil : message
      return ReadError(
        meaning.code, "the Blob service refuses the request: \(code)\(text.map { " (\($0))" } ?? ""): \(meaning.advice)"
      )
    }
  }

  extension BlobAccess {
    /// `true` for what may end, so that another may help.
    var expires: Bool {
      if case .key = self { return false }
      return true
    }
  }

#endif
