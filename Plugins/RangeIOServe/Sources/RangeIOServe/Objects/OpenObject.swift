#if Serve
  internal import HTTPTypes
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport
  internal import Synchronization

  /// One version of an object that is open, with all that its answers say of it.
  final class OpenObject: Sendable {
    let identity: String
    let reader: RangeReader
    let snapshot: RangeReader.Snapshot
    let version: ServedVersion
    /// The fields that are the same in each answer.
    let fields: HTTPFields
    /// The field of that name, if a date is known. It is for answers after its second.
    let lastModified: HTTPField?
    let mediaType: String
    private let wasReplaced = Atomic(false)
    private let place: ReaderPlaces.Place
    /// The version was settled then: its tag says so.
    private let isSettled: Bool

    init(
      identity: String, reader: RangeReader, snapshot: RangeReader.Snapshot, name: String, in place: ReaderPlaces.Place
    ) {
      self.place = place
      self.identity = identity
      self.reader = reader
      self.snapshot = snapshot
      let source = snapshot.source
      // Before the tag: it may settle in between.
      isSettled = source.isSettled
      let tag = Self.tag(of: source)
      let modified = source.modifiedSeconds.map { HTTPDate(secondsSince1970: $0) }
      version = ServedVersion(tag: tag, modified: modified, size: source.byteCount)
      var fields: HTTPFields = [.acceptRanges: "bytes"]
      // A proxy that compresses would make other bytes of them, under the same tag.
      fields[.cacheControl] = "no-transform"
      fields[.eTag] = tag.map { ($0.isWeak ? "W/" : "") + "\"\($0.opaque.text)\"" }
      self.fields = fields
      lastModified = modified.map { HTTPField(name: .lastModified, value: $0.text) }
      mediaType = MediaTypes.type(ofName: name)
    }

    /// Each read takes time that a client notices.
    var isDistant: Bool { snapshot.source.cost.latency >= .milliseconds(1) }

    /// Where the piece ends that `range` begins with. Pieces end where blocks do.
    func endOfPiece(of range: Range<Int>) -> Int {
      let size = RangeServer.Configuration.pieceSize
      return range.count <= size ? range.upperBound : range.lowerBound - range.lowerBound % size + size
    }

    /// The entity tag of a version: of what identifies it for good. Weak while the source may still change without
    /// anyone seeing it; none if the source has nothing that lasts.
    private static func tag(of source: SourceDescription) -> EntityTag? {
      guard let form = source.validator?.persistentForm else { return nil }
      let digest = SHA256.hexDigest(form).prefix(32)
      return EntityTag(source.isSettled ? "\"\(digest)\"" : "W/\"\(digest)\"")
    }

    /// `true` if a read found that the source has another version by now: no later answer is to begin with this one.
    var isOutdated: Bool { wasReplaced.load(ordering: .relaxed) }

    /// A read found so.
    func outdate() { wasReplaced.store(true, ordering: .relaxed) }

    /// The same object, of the version that is current by now; itself if that is the same. `nil` while its source cannot
    /// be asked.
    func current(name: String) async throws -> OpenObject? {
      guard let now = try await reader.renewedSnapshot() else { return nil }
      if now.source === snapshot.source, isSettled == now.source.isSettled {
        // As it was, after all.
        wasReplaced.store(false, ordering: .relaxed)
        return self
      }
      return OpenObject(identity: identity, reader: reader, snapshot: now, name: name, in: place)
    }
  }
#endif
