#if S3
  internal import RangeIOSupport

  /// The body of an error answer of S3: an XML document, of which a few elements matter.
  ///
  /// Tolerant: other elements, namespaces, a beginning in the middle or an end too early do no harm. What is no XML has no
  /// elements. Never shows `StringToSign`, `AWSAccessKeyId` and other elements with parts of signatures.
  struct ErrorDocument: Equatable, Sendable {
    /// As in `NoSuchKey`; letters and digits only.
    var code: String?
    /// For people: one line.
    var message: String?
    /// The region that the bucket is in, or that a signature should be for.
    var region: String?

    init(_ body: [UInt8]) {
      code = XMLText.first("Code", in: body).flatMap { XMLText.isName($0) ? $0 : nil }
      message = XMLText.first("Message", in: body).flatMap { $0.isEmpty ? nil : $0 }
      region = XMLText.first("Region", in: body).flatMap { XMLText.isName($0) ? $0 : nil }
    }
  }

#endif
