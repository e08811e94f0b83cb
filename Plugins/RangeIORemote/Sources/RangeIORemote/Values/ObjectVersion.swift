internal import RangeIO

/// The identity of a version of an object: the best identifier that the server gives, and the size.
struct ObjectVersion: Hashable, Sendable {
  /// From the best to the worst.
  enum Identifier: Hashable, Sendable {
    /// The number that a store with versions gave it (``RequestAuthority/versionField``).
    case versionID(ExactText)
    /// Differs whenever one byte does.
    case strongTag(EntityTag)
    /// May stay the same for small changes, so the time must agree too.
    case weakTag(EntityTag, lastModified: HTTPDate?)
    /// To the second.
    case lastModified(HTTPDate)
    /// Only the size can tell.
    case unknown
  }

  /// The identifier that the server gave.
  let identifier: Identifier
  /// The size in bytes.
  private(set) var size: Int
  /// Tells versions apart that the server describes alike: that of their ``VersionPin``, and 0 before there is one.
  private(set) var generation = 0
  /// The coding of the bytes in the answer that described it; an empty one: they had none; `nil`: not known. Tells no versions
  /// apart: a server names them by their marks.
  private(set) var coding: String?
  /// The caller trusts a time that had settled to name a version for good.
  private let trustsTime: Bool

  /// A version.
  ///
  /// - Parameter trustsTime: whether ``Identifier/lastModified(_:)`` may be stored: the caller asked for it, and the
  ///   object was not changed within the last two seconds.
  init(_ identifier: Identifier, size: Int, trustsTime: Bool = false) {
    self.identifier = identifier
    self.size = size
    self.trustsTime = trustsTime
  }

  /// True if both are the same version, as far as identifier, size and generation can tell.
  func isSame(as other: ObjectVersion) -> Bool {
    identifier == other.identifier && size == other.size && generation == other.generation
  }

  /// As ``isSame(as:)``.
  static func == (a: ObjectVersion, b: ObjectVersion) -> Bool { a.isSame(as: b) }

  /// Hashes what is compared.
  func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(size)
    hasher.combine(generation)
  }

  /// The validator for a description of the object: `nil` if the server gives nothing to tell versions apart.
  var validator: (any SourceDescription.Validator)? { identifier == .unknown ? nil : self }

  /// The same, told apart from others that are described alike.
  func inGeneration(_ generation: Int) -> ObjectVersion {
    var version = self
    version.generation = generation
    return version
  }

  /// The same, whose bytes were answered with `coding`.
  func encoded(as coding: String) -> ObjectVersion {
    var version = self
    version.coding = coding
    return version
  }

  /// The same, of another size.
  func ofSize(_ size: Int) -> ObjectVersion {
    var version = self
    version.size = size
    return version
  }

  /// In words, for messages.
  var summary: String {
    switch identifier {
    case .versionID(let id): "version \(id.shown)"
    case .strongTag(let tag): "tag \"\(tag.opaque.shown)\""
    case .weakTag(let tag, _): "weak tag \"\(tag.opaque.shown)\""
    case .lastModified(let date): "last modified \(date.text)"
    case .unknown: "no tag"
    }
  }
}

extension ObjectVersion: SourceDescription.Validator {
  /// `.same`, or `.other`: what a server says does not tell whether an object only grew.
  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    (newer as? ObjectVersion).map(isSame(as:)) == true ? .same : .other
  }

  /// Version numbers and strong tags, with the size; times only where the caller trusts them. Weak tags never.
  var persistentForm: [UInt8]? {
    let (kind, text): (Unicode.Scalar, String)
    switch identifier {
    case .versionID(let id): (kind, text) = ("v", id.text)
    case .strongTag(let tag): (kind, text) = ("t", tag.opaque.text)
    case .lastModified(let date) where trustsTime: (kind, text) = ("m", "\(date.secondsSince1970)")
    case .weakTag, .lastModified, .unknown: return nil
    }
    let form = [UInt8(ascii: kind)] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array(text.utf8)
    return form.count <= 4096 ? form : nil
  }
}

extension ObjectVersion: DatedValidator {
  /// Only what tells versions apart is known.
  package var modifiedSeconds: Int? {
    switch identifier {
    case .weakTag(_, let date): date?.secondsSince1970
    case .lastModified(let date): date.secondsSince1970
    case .versionID, .strongTag, .unknown: nil
    }
  }
}

extension ObjectVersion: ExplainedValidator {
  /// As in "the server has 10 bytes where it had 20".
  package func difference(to newer: any SourceDescription.Validator) -> String? {
    (newer as? ObjectVersion).flatMap { isSame(as: $0) ? nil : words(for: $0) }
  }

  func words(for newer: ObjectVersion) -> String {
    if size != newer.size { return "the server has \(newer.size) bytes where it had \(size)" }
    return identifier == newer.identifier
      ? "the server has another version of the object (again with \(summary))"
      : "the server has another version of the object (\(newer.summary), not \(summary))"
  }
}
