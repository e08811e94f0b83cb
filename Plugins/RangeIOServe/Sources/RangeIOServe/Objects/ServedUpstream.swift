#if Serve
  public import RangeIO
  public import RangeIORemote

  /// Where a server has its objects from: a directory, one object, all objects below a URL.
  ///
  /// One verb: what stands at a path. The server asks for it when an object is requested and was not asked for lately
  /// (``freshness``), and keeps the reader that ``ServedItem/Object/open`` makes while the identity stays the same.
  public protocol ServedUpstream: Sendable {
    /// Finds the item at the path of these names. None of the names is empty or begins with a dot, or has a slash.
    ///
    /// - Throws: `ReadError` with `notFound` if there is nothing, or nothing that may be served.
    func look(at path: [ServedName]) async throws -> ServedItem

    /// The time for which the answer to a look holds.
    var freshness: Duration { get }

    /// The directory that a request whose path ends with a slash asks for, where that need not be looked for: of a store, in
    /// which a folder is no more than what names begin with. Default: `nil`, ``look(at:)`` finds out.
    func directory(at path: [ServedName]) -> ServedItem.Directory?
  }

  extension ServedUpstream {
    /// `nil`.
    public func directory(at path: [ServedName]) -> ServedItem.Directory? { nil }
  }

  /// An item that is served at a path.
  @nonexhaustive
  public enum ServedItem: Sendable {
    /// Something to read.
    case object(Object)
    /// A list of names.
    case directory(Directory)

    /// Something to read.
    public struct Object: Sendable {
      /// Differs when the name leads to something else than before, such as to a file that has replaced another.
      public let identity: String
      /// Opens it. The reader should have the policy `refresh`, and a source of its own: what cannot be opened is closed, and
      /// so is what is not needed any more. Called once, or not at all.
      public let open: @Sendable () async throws -> RangeReader

      /// An object.
      public init(identity: String, open: @escaping @Sendable () async throws -> RangeReader) {
        self.identity = identity
        self.open = open
      }
    }

    /// Names below a name.
    public struct Directory: Sendable {
      /// The entries that come after `name` in the order of their bytes, as many as one answer should have; `nil`: from the
      /// first one on.
      public let list: @Sendable (_ name: ServedName?) async throws -> Listing

      /// A directory.
      public init(list: @escaping @Sendable (_ name: ServedName?) async throws -> Listing) { self.list = list }
    }

    /// Entries of a directory.
    public struct Listing: Sendable, Hashable {
      /// In the order of their bytes.
      public var entries: [Entry]
      /// `true` if more may follow after the last of them.
      public var isCut: Bool

      /// Entries, by default all.
      public init(_ entries: [Entry], isCut: Bool = false) {
        self.entries = entries
        self.isCut = isCut
      }
    }

    /// One line of a directory's listing.
    public struct Entry: Sendable, Hashable {
      /// Without slashes.
      public let name: ServedName
      /// `nil` for a directory, and if it is not known.
      public let byteCount: Int?
      /// When it last changed.
      public let modifiedSecondsSince1970: Int?
      /// `true` if there are names below it.
      public let isDirectory: Bool

      /// A line.
      ///
      /// - Parameters:
      ///   - name: the name, without the directory.
      ///   - byteCount: the size of a file; `nil` if it is not known.
      ///   - modifiedSecondsSince1970: when it was changed last; `nil` if that is not known.
      ///   - isDirectory: default: what has no `byteCount` is one.
      public init(
        name: ServedName, byteCount: Int?, modifiedSecondsSince1970: Int? = nil, isDirectory: Bool? = nil
      ) {
        self.name = name
        self.byteCount = byteCount
        self.modifiedSecondsSince1970 = modifiedSecondsSince1970
        self.isDirectory = isDirectory ?? (byteCount == nil)
      }
    }
  }

  /// One object, or all below a URL: whatever a closure opens.
  public struct ObjectUpstream: ServedUpstream {
    /// See ``ServedUpstream/freshness``.
    public let freshness: Duration
    private let item: @Sendable ([ServedName]) throws -> ServedItem
    private var folder: (@Sendable ([ServedName]) -> ServedItem.Directory)?

    /// A single object.
    ///
    /// - Parameters:
    ///   - freshness: how long a version is served without asking for another. Default: one second.
    ///   - open: opens a reader of it, with the policy `refresh`. It makes the source anew each time, since a reader that is
    ///     closed, or that cannot be opened, closes its source.
    public init(freshness: Duration = .seconds(1), open: @escaping @Sendable () async throws -> RangeReader) {
      self.freshness = freshness
      item = { path in
        guard path.isEmpty else { throw ReadError.nothingServed }
        return .object(ServedItem.Object(identity: "", open: open))
      }
    }

    /// All objects whose name begins alike, such as those below a URL. They cannot be listed.
    ///
    /// - Parameters:
    ///   - freshness: how long a version is served without asking for another. Default: one second.
    ///   - open: opens a reader, with the policy `refresh`, of the object of these names. It makes the source anew each time.
    public init(
      freshness: Duration = .seconds(1), openBelow open: @escaping @Sendable ([ServedName]) async throws -> RangeReader
    ) {
      self.freshness = freshness
      item = { path in
        guard !path.isEmpty else { throw ReadError.nothingServed }
        return .object(ServedItem.Object(identity: "") { try await open(path) })
      }
    }

    /// All objects whose name begins alike, and the folders that their names make: those of a bucket.
    ///
    /// A folder is listed page by page, as far as one answer has room; what comes after is listed anew from the beginning. Names
    /// that no request can have (empty, with a dot before, with two slashes) are not listed.
    ///
    /// - Parameters:
    ///   - freshness: how long a version is served without asking for another. Default: one second.
    ///   - open: as in ``init(freshness:openBelow:)``.
    ///   - list: lists the folder of these names, not recursively.
    public init(
      freshness: Duration = .seconds(1), openBelow open: @escaping @Sendable ([ServedName]) async throws -> RangeReader,
      listBelow list: @escaping @Sendable ([ServedName]) throws -> RemoteListing
    ) {
      self.init(freshness: freshness, openBelow: open)
      folder = { path in
        ServedItem.Directory { name in try await ServedItem.Listing(list(path), after: name, isTop: path.isEmpty) }
      }
    }

    /// The folder of these names, if folders are listed.
    public func directory(at path: [ServedName]) -> ServedItem.Directory? { folder?(path) }

    /// The object of these names.
    public func look(at path: [ServedName]) async throws -> ServedItem { try item(path) }
  }

  extension ReadError {
    /// There is nothing, or nothing that may be served.
    static var nothingServed: ReadError { ReadError(.notFound, "nothing is served under this name") }
  }
#endif
