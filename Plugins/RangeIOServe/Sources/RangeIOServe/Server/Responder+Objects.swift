#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import RangeIO
  internal import RangeIONIO

  extension Responder {
    /// The most tries of a request, which begins anew if the source changed or closed before the head was sent.
    private static let maxTries = 4

    /// Answers with the object at `path`, or a part of it; with a listing, if it is a directory.
    ///
    /// - Parameter isIndex: the object stands for the directory that is asked for.
    func object(
      in pool: ObjectPool, at path: [ServedName], _ target: RequestTarget, _ head: HTTPRequest, isIndex: Bool = false
    ) async throws -> Answer {
      if !isIndex, target.endsInSlash || path.isEmpty, let folder = pool.directory(at: path) {
        if let index = try await index(in: pool, at: path, target, head) { return index }
        return try await list(folder, target, head)
      }
      var tries = 0
      while true {
        let object: OpenObject
        switch try await pool.find(path) {
        case .directory(let directory):
          if let index = try await index(in: pool, at: path, target, head) { return index }
          return try await list(directory, target, head)
        case .object(let found): object = found
        }
        // A name with a slash after it would be another object, or none.
        guard !target.endsInSlash || path.isEmpty || isIndex else { throw ReadError.nothingServed }
        let plain = Representation(object, at: path, for: target, isIndex: isIndex)
        let chosen = try await best(of: plain, in: pool, head)
        do {
          return try await answer(with: chosen, head)
        } catch let error as ReadError where error.code == .sourceChanged || error.code == .closed {
          tries += 1
          guard tries < Self.maxTries else { throw error }
          pool.outdated(chosen.object, at: chosen.path)
        }
      }
    }

    /// The answer with the file that stands for the listing of the directory at `path`; `nil` if there is none, or the listing is
    /// asked for, or a slash is missing after the name, without which links of the file would lead elsewhere.
    private func index(
      in pool: ObjectPool, at path: [ServedName], _ target: RequestTarget, _ head: HTTPRequest
    ) async throws -> Answer? {
      guard let name = configuration.indexName, target.endsInSlash || target.names.isEmpty,
        !ListingPage.isJSON(target, head)
      else { return nil }
      let path = path + [ServedName(name)]
      do {
        guard case .object = try await pool.find(path) else { return nil }
        return try await object(in: pool, at: path, target, head, isIndex: true)
      } catch let error as ReadError where error.code == .notFound {
        return nil
      }
    }

    private func list(
      _ directory: ServedItem.Directory, _ target: RequestTarget, _ head: HTTPRequest
    ) async throws -> Answer {
      guard target.endsInSlash || target.names.isEmpty else {
        let query = target.query.map { "?" + $0 } ?? ""
        return .line(.movedPermanently, [.location: "./" + target.names.last!.encoded + "/" + query])
      }
      let listing = try await directory.list(target.bytes(of: "after").map { ServedName(bytes: $0) })
      return try await AsideWork.value { try ListingPage(target, listing).answer(head) }
    }

    /// An answer, before any byte is read.
    enum Outline {
      case finished(Answer)
      case range(HTTPResponse.Status, HTTPFields, Range<Int>)
      case parts(HTTPFields, [Range<Int>])
    }

    /// Judges a `GET` or `HEAD` of an object.
    func outline(of chosen: Representation, _ head: HTTPRequest) -> Outline {
      let object = chosen.object
      let version = object.version.shown(at: dates.now)
      let verdict = RangeAnswer(
        range: head.method == .get ? head.headerFields.value(of: .range) : nil, Preconditions(head.headerFields),
        for: version)
      var fields = object.fields
      // For all that is added to them, here and by ``finish(_:to:)``.
      fields.reserveCapacity(16)
      if version.isDateFinal, let modified = object.lastModified { fields.append(modified) }
      if configuration.servesCodedFiles { fields.append(HTTPField(name: .vary, value: "Accept-Encoding")) }
      // Programs get the listing.
      if chosen.isIndex { fields.append(HTTPField(name: .vary, value: "Accept")) }
      switch verdict {
      case .notModified: return .finished(Answer(.notModified, fields))
      case .preconditionFailed: return .finished(.line(.preconditionFailed, fields))
      case .notSatisfiable:
        fields.append(HTTPField(name: .contentRange, value: "bytes */\(version.size)"))
        return .finished(.line(.rangeNotSatisfiable, fields))
      case .whole:
        for field in chosen.fields { fields.append(field) }
        fields.append(HTTPField(name: .contentType, value: chosen.mediaType))
        fields.append(HTTPField(name: .contentLength, value: "\(version.size)"))
        return head.method == .get ? .range(.ok, fields, 0..<version.size) : .finished(Answer(.ok, fields))
      case .part(let range):
        for field in chosen.fields { fields.append(field) }
        fields.append(HTTPField(name: .contentType, value: chosen.mediaType))
        fields.append(HTTPField(name: .contentLength, value: "\(range.count)"))
        let span = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(version.size)"
        fields.append(HTTPField(name: .contentRange, value: span))
        return .range(.partialContent, fields, range)
      case .parts(let ranges):
        for field in chosen.fields { fields.append(field) }
        return .parts(fields, ranges)
      }
    }

    private func answer(with chosen: Representation, _ head: HTTPRequest) async throws -> Answer {
      let object = chosen.object
      switch outline(of: chosen, head) {
      case .finished(let answer): return answer
      case .range(let status, let fields, let range): return Answer(status, fields, try await body(of: object, range))
      case .parts(var fields, let ranges):
        let parts = MultipartRanges(
          ranges, size: object.version.size, mediaType: chosen.mediaType, number: .random(in: 0 ... .max))
        fields.append(HTTPField(name: .contentType, value: parts.contentType))
        fields.append(HTTPField(name: .contentLength, value: "\(parts.byteCount)"))
        let (first, rest) = try await beginning(of: object, ranges[0])
        return Answer(.partialContent, fields, .multipart(object, parts, first: first, rest: rest))
      }
    }

    private func body(of object: OpenObject, _ range: Range<Int>) async throws -> Answer.Body {
      let (first, rest) = try await beginning(of: object, range)
      return rest.isEmpty ? .buffer(first) : .range(object, first: first, rest: rest)
    }

    /// Reads before the head is sent, so that a source that fails at once is an error that the client can read.
    private func beginning(
      of object: OpenObject, _ range: Range<Int>
    ) async throws -> (first: ByteBuffer, rest: Range<Int>) {
      let end =
        object.isDistant
        ? min(range.upperBound, ByteRanges.sum(range.lowerBound, RangeServer.Configuration.firstDistantPiece))
        : object.endOfPiece(of: range)
      let first = try await object.snapshot.read(range.lowerBound..<end, goingOnTo: range.upperBound)
      return (ByteBuffer(first), end..<range.upperBound)
    }
  }

  extension HTTPFields {
    /// As the subscript, which joins even one value: 4% of the time of a small range.
    fileprivate func value(of name: HTTPField.Name) -> String? {
      guard let index = firstIndex(where: { $0.name == name }) else { return nil }
      return self[(index + 1)...].contains { $0.name == name } ? self[name] : self[index].value
    }
  }

  extension Preconditions {
    init(_ fields: HTTPFields) {
      self.init()
      ifMatch = fields[values: .ifMatch]
      ifNoneMatch = fields[values: .ifNoneMatch]
      ifModifiedSince = fields[.ifModifiedSince]
      ifUnmodifiedSince = fields[.ifUnmodifiedSince]
      ifRange = fields[.ifRange]
    }
  }
#endif
