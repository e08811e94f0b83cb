#if Serve
  internal import HTTPTypes

  /// What is sent of an object: its own bytes, or those of a coded file that stands beside it.
  struct Representation: Sendable {
    /// The one whose bytes are sent, and where its pool has it.
    let object: OpenObject
    let path: [ServedName]
    /// The type of what is coded.
    let mediaType: String
    /// It stands for the listing of a directory.
    let isIndex: Bool
    /// The fields of answers that have bytes of it, besides those of the object.
    var fields: [HTTPField] = []

    /// The bytes of `object` itself.
    init(_ object: OpenObject, at path: [ServedName], for target: RequestTarget, isIndex: Bool = false) {
      self.init(object, at: path, mediaType: object.mediaType, isIndex: isIndex)
      if target.query != nil, target.bytes(of: "download") != nil {
        fields.append(
          HTTPField(name: .contentDisposition, value: ContentDisposition.attachment(target.names.last)))
      }
    }

    private init(_ object: OpenObject, at path: [ServedName], mediaType: String, isIndex: Bool) {
      (self.object, self.path, self.mediaType, self.isIndex) = (object, path, mediaType, isIndex)
    }

    /// The same by the bytes of a file that is coded so; `nil` if that is older, and so most likely of other bytes.
    func coded(_ coding: ContentCoding, by other: OpenObject, at path: [ServedName]) -> Representation? {
      if let ours = object.version.modified, let other = other.version.modified, other < ours { return nil }
      var coded = Representation(other, at: path, mediaType: mediaType, isIndex: isIndex)
      coded.fields = fields + [HTTPField(name: .contentEncoding, value: coding.rawValue)]
      return coded
    }
  }

  extension Responder {
    /// The codings that the request would rather have; none if the server has no coded files.
    func codings(_ head: HTTPRequest) -> [ContentCoding] {
      configuration.servesCodedFiles ? ContentCoding.accepted(head.headerFields[values: .acceptEncoding]) : []
    }

    /// The representation of `plain` that the request wants most, of those that there are.
    func best(of plain: Representation, in pool: ObjectPool, _ head: HTTPRequest) async throws -> Representation {
      for coding in codings(head) {
        let path = Self.path(plain.path, coding)
        // `try?`: if the coded file cannot be opened, the plain one is sent, and a cancelled request ends with that.
        guard !path.isEmpty, case .object(let object) = try? await pool.find(path),
          let coded = plain.coded(coding, by: object, at: path)
        else { continue }
        return coded
      }
      try Task.checkCancellation()
      return plain
    }

    /// The path of the file that codes the one at `path`; empty if that has no name.
    private static func path(_ path: [ServedName], _ coding: ContentCoding) -> [ServedName] {
      guard let last = path.last else { return [] }
      return path.dropLast() + [ServedName(bytes: last.bytes + Array(coding.suffix.utf8))]
    }
  }
#endif
