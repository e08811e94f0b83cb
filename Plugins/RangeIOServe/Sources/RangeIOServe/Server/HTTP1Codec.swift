#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP1

  /// Makes requests of what SwiftNIO's parser reads, and gives answers to its encoder.
  ///
  /// The handler that SwiftNIO has for this parses each target with `URLComponents`, which does far more than a path and a query
  /// need.
  final class HTTP1Codec: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        // What is no method is answered as what cannot be parsed.
        guard let request = HTTPRequest(head) else { return context.fireErrorCaught(HTTPParserError.invalidMethod) }
        context.fireChannelRead(wrapInboundOut(.head(request)))
      case .body(let body): context.fireChannelRead(wrapInboundOut(.body(body)))
      // Nothing that is served has a use for what follows a body.
      case .end: context.fireChannelRead(wrapInboundOut(.end(nil)))
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let part: HTTPServerResponsePart =
        switch unwrapOutboundIn(data) {
        case .head(let answer): .head(HTTPResponseHead(answer))
        case .body(let body): .body(.byteBuffer(body))
        case .end: .end(nil)
        }
      context.write(wrapOutboundOut(part), promise: promise)
    }
  }

  extension HTTPRequest {
    /// `nil` if the method is none. A second `Host` stays among the fields.
    ///
    /// Of a target that is a whole URL the authority counts, and `Host` does not, as RFC 9112, section 3.2.2, asks: what a proxy
    /// before this server went by counts for this server too. No `Host`, and more than one, are left for the answer to refuse.
    fileprivate init?(_ head: HTTPRequestHead) {
      guard let method = Method(head.method.rawValue) else { return nil }
      let hosts = head.headers["Host"]
      let url = TargetURL(head.uri)
      self.init(
        method: method, scheme: "http",
        authority: hosts.count == 1
          ? url.map { String($0.authority) } ?? hosts[0] : hosts.first,
        path: url?.path ?? head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }
  }
#endif
