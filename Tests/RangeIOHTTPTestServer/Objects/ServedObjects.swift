#if HTTP
  import RangeIOSupport

  /// What a ``LyingServer`` has: objects in memory by their paths, and for each the version before.
  public final class ServedObjects: Sendable {
    /// One path.
    private struct Entry {
      var object: ServedObject?
      var previous: ServedObject?
    }
    private let entries = Guarded<[String: Entry]>([:])

    /// Creates an empty collection.
    public init() {}

    /// The object at `path`, which begins with a slash and is not percent-encoded.
    public subscript(path: String) -> ServedObject? { entries.withLock { $0[path]?.object } }

    /// What was at `path` before the last ``put(_:at:)`` or ``delete(_:)``.
    public func previous(_ path: String) -> ServedObject? { entries.withLock { $0[path]?.previous } }

    /// Puts `object` at `path`, in place of what is there.
    public func put(_ object: ServedObject, at path: String) {
      entries.withLock { entries in entries[path] = Entry(object: object, previous: entries[path]?.object) }
    }

    /// Removes the object at `path`.
    public func delete(_ path: String) {
      entries.withLock { entries in entries[path] = Entry(object: nil, previous: entries[path]?.object) }
    }
  }

#endif
