#if Serve
  internal import HTTPTypes
  internal import NIOCore

  /// An answer before it is sent.
  struct Answer: Sendable {
    enum Body: Sendable {
      case none
      /// All of it.
      case buffer(ByteBuffer)
      /// The beginning of a range, and what is still to be read.
      case range(OpenObject, first: ByteBuffer, rest: Range<Int>)
      /// Several ranges; of the first one, the beginning, and what is still to be read.
      case multipart(OpenObject, MultipartRanges, first: ByteBuffer, rest: Range<Int>)
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: Body

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], _ body: Body = .none) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// A line for people.
    ///
    /// - Parameter advice: what to do.
    static func line(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], advice: String? = nil) -> Answer {
      let text = "\(status.code) \(status.reasonPhrase)" + (advice.map { ": " + $0 } ?? "") + "\n"
      return self.text(status, text, type: "text/plain; charset=utf-8", fields)
    }

    static func text(
      _ status: HTTPResponse.Status, _ text: String, type: String, _ fields: HTTPFields = [:]
    ) -> Answer {
      var fields = fields
      let buffer = ByteBuffer(string: text)
      fields[.contentType] = type
      fields[.contentLength] = "\(buffer.readableBytes)"
      return Answer(status, fields, .buffer(buffer))
    }
  }
#endif
