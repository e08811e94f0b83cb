#if Serve
  internal import HTTPTypes
  internal import NIOCore

  /// Reads the plain heads of a connection before SwiftNIO's parser, and writes their answers past its encoder, if
  /// ``ReadyHandler`` has them: of a request for 4 KiB of the page cache, parser, encoder and the four handlers between took
  /// a third of the time. What comes after the first bytes that are no plain head goes to the parser, to the end of the connection.
  final class PlainRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let ready: ReadyHandler
    private let deadline: DeadlineHandler
    /// The parser has seen nothing but whole heads.
    private var isPlain = true

    /// - Parameter ready, deadline: those of the same connection.
    init(_ ready: ReadyHandler, _ deadline: DeadlineHandler) { (self.ready, self.deadline) = (ready, deadline) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var rest = unwrapInboundIn(data)
      while isPlain, rest.readableBytes > 0 {
        guard let head = PlainHead(rest), let bytes = rest.readSlice(length: head.count) else {
          isPlain = false
          break
        }
        if !deadline.isClosing, ready.answer(head.request, context.channel, by: { write($0, head.request, context) }) {
          continue
        }
        // So that an answer which waits for a look is not looked for twice.
        ready.passOn { context.fireChannelRead(wrapInboundOut(bytes)) }
      }
      if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
    }

    private func write(_ answer: Answer, _ request: HTTPRequest, _ context: ChannelHandlerContext) {
      deadline.answer(with: answer.bytes(isHead: request.method == .head), before: context)
    }
  }

  extension Answer {
    /// The most bytes of a body that are copied behind the head, for one write.
    private static let maxCopied = 16 * 1024

    /// Its bytes in HTTP/1.1, as SwiftNIO's encoder writes them. Of its fields one tells the length, unless it has no body.
    func bytes(isHead: Bool) -> (ByteBuffer, ByteBuffer?) {
      var rest: ByteBuffer?
      if !isHead, case .buffer(let body) = body, body.readableBytes > 0 { rest = body }
      let copied = rest.flatMap { $0.readableBytes <= Self.maxCopied ? $0 : nil }
      var bytes = ByteBuffer()
      bytes.reserveCapacity(512 + (copied?.readableBytes ?? 0))
      bytes.writeStaticString("HTTP/1.1 ")
      bytes.writeString("\(status.code)")
      bytes.writeStaticString(" ")
      bytes.writeString(status.reasonPhrase)
      bytes.writeStaticString("\r\n")
      for field in fields {
        bytes.writeString(field.name.rawName)
        bytes.writeStaticString(": ")
        bytes.writeString(field.value)
        bytes.writeStaticString("\r\n")
      }
      bytes.writeStaticString("\r\n")
      if let copied {
        bytes.writeImmutableBuffer(copied)
        rest = nil
      }
      return (bytes, rest)
    }
  }
#endif
