#if HTTP
  public import RangeIO

  /// What a server told of an object when it was described: for people.
  public struct ObjectFacts: Hashable, Sendable {
    /// The tag (`ETag`), without its quotes; `nil`: there was none.
    public let tag: String?
    /// When it last changed.
    public let modified: HTTPDate?
    /// The version or the generation, of stores that keep some.
    public let versionID: String?
    /// The type of its contents.
    public let contentType: String?

    init(_ object: ObjectDescription) {
      tag = object.marks.tag.map { ($0.isWeak ? "W/" : "") + $0.opaque.text }
      modified = object.marks.date
      versionID = object.marks.versionID?.text
      contentType = object.contentType
    }
  }

  /// What a server told of an object.
  extension SourceDescription {
    /// What the server told, if a ``RemoteSource`` made this description.
    public var objectFacts: ObjectFacts? { (traits.context as? RemoteObject.Snapshot)?.facts }
  }
#endif
