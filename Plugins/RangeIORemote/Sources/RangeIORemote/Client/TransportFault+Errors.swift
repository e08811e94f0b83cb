#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOPosix
  internal import NIOSSL
  internal import SystemPackage

  /// Ends a request with a fault that the transport itself has found.
  struct ExchangeFault: Error {
    let fault: TransportFault
  }

  extension TransportFault {
    /// The meaning of an error of the client. Never the text of an unknown error, which might show a secret.
    ///
    /// - Parameter isSent: whether the request had been sent.
    init(_ error: any Error, isSent: Bool) {
      switch error {
      case let error as ExchangeFault: self = error.fault
      case let error as HTTPClientError: self = Self.of(error)
      case let error as NIOConnectionError: self = Self.of(error)
      case let error as IOError: self = Self.of(error, isSent: isSent)
      case let error as ChannelError: self = Self.of(error)
      case let error as HTTPParserError: self = Self.of(error)
      case let error as NIOSSLError: self = Self.of(error)
      case let error as NIOSSLExtraError: self = .tls(error.description)
      default: self = Self.ofUnknown(error)
      }
    }

    private static func of(_ error: HTTPClientError) -> TransportFault {
      switch error {
      case .remoteConnectionClosed: .reset
      case .connectTimeout, .getConnectionFromPoolTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
        .connectTimeout
      case .tlsHandshakeTimeout: .tls("no answer to the handshake in time; is this a port of https?")
      case .readTimeout: .stalled
      case .deadlineExceeded: .deadline
      case .uncleanShutdown: .closedWithoutNotify
      // Only its exchange cancels a request, and does not listen then: so this is a connection of HTTP/2 that was
      // given a request while it closed.
      // Or a client that was retired, and then shut down.
      case .cancelled, .alreadyShutdown: .goAway
      case .proxyAuthenticationRequired: .proxyAuthentication
      case .invalidProxyResponse: .proxyRefused
      default: .other(error.shortDescription.lowercased())
      }
    }

    private static func of(_ error: NIOConnectionError) -> TransportFault {
      guard let first = error.connectionErrors.first else { return .unresolved }
      return TransportFault(first.error, isSent: false)
    }

    private static func of(_ error: IOError, isSent: Bool) -> TransportFault {
      switch Errno(rawValue: error.errnoCode) {
      case .connectionRefused: .refused
      case .connectionReset, .brokenPipe, .socketNotConnected, .connectionAbort: .reset
      case .timedOut: isSent ? .stalled : .connectTimeout
      case .noRouteToHost, .networkUnreachable, .networkDown, .hostIsDown: .other("there is no route to the server")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
        .other("no descriptor is left for a connection: close files, or raise the limit (ulimit -n)")
      default: isSent ? .reset : .other("the system refused the connection (\(error.errnoCode))")
      }
    }

    private static func of(_ error: ChannelError) -> TransportFault {
      switch error {
      case .connectTimeout: .connectTimeout
      default: .reset
      }
    }

    private static func of(_ error: HTTPParserError) -> TransportFault {
      switch error {
      // The connection ended before the message did.
      case .invalidEOFState, .closedConnection: .reset
      case .headerOverflow: .giantHeaders
      case .unexpectedContentLength, .invalidContentLength: .malformed("its lengths contradict each other")
      case .invalidChunkSize: .malformed("its chunks are broken")
      case .invalidHeaderToken: .malformed("its headers are broken")
      case .invalidVersion, .invalidStatus, .invalidConstant, .lfExpected: .malformed("it does not begin as HTTP does")
      default: .malformed("it is no HTTP")
      }
    }

    private static func of(_ error: NIOSSLError) -> TransportFault {
      switch error {
      case .uncleanShutdown: .closedWithoutNotify
      case .handshakeFailed(let reason): Self.ofHandshake("\(reason)")
      case .unableToValidateCertificate, .noCertificateToValidate: .tls(untrusted)
      default: .tls("the connection broke its rules")
      }
    }

    /// - Parameter reason: BoringSSL's, with its names of errors.
    private static func ofHandshake(_ reason: String) -> TransportFault {
      if reason.contains("CERTIFICATE_VERIFY_FAILED") { return .tls(untrusted) }
      // What came does not begin as TLS does.
      let isPlain = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"].contains { reason.contains($0) }
      return isPlain ? .tls(plain) : .tls("the handshake failed")
    }

    /// Errors of modules that are not imported here: HTTP/2, Network.framework.
    private static func ofUnknown(_ error: any Error) -> TransportFault {
      let type = String(reflecting: type(of: error))
      if type.contains("NIOHTTP2") {
        return "\(error)".lowercased().contains("goaway") ? .goAway : .streamReset
      }
      if type.contains("NWPOSIXError") || type.contains("NWError") {
        let text = "\(error)"
        if text.contains("refused") { return .refused }
        if text.contains("reset") || text.contains("abort") { return .reset }
        return .other("the network failed")
      }
      if type.contains("NWTLSError") { return .tls("the handshake failed") }
      if type.contains("SOCKS") { return .proxy("the SOCKS proxy refused to connect: check its address and rules") }
      return .other("the client failed (\(type))")
    }
  }
#endif
