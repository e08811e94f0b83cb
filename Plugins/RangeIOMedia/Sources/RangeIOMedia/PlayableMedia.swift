public import RangeIO
internal import RangeIOSupport

/// What a player plays: a reader, and what the player has to be told of its bytes.
///
/// ```swift
/// let media = try await PlayableMedia(reader, contentType: "video/mp4")
/// let item = AVPlayerItem(asset: AVURLAsset(media))
/// ```
///
/// All that is played is of one version, the one that the reader has when this is made. If the source changes to another one,
/// requests fail with `sourceChanged`, whatever the reader's policy. Play the new version through a new value.
///
/// The reader stays yours: close it when the player is gone.
public struct PlayableMedia: Sendable {
  /// The bytes that are still to come.
  public struct Growth: Sendable {
    enum Kind {
      case none
      case to(Int)
      case until(@Sendable () async throws -> Bool)
    }
    let kind: Kind

    /// None: all bytes are there. The source of a reader that follows its source is taken as it is now.
    public static let none = Growth(kind: .none)

    /// The source is still being written, up to this size, such as a download. Players get this size, and requests for
    /// missing bytes wait for them.
    public static func to(byteCount: Int) -> Growth { Growth(kind: .to(byteCount)) }

    /// The source is still written, for as long as `isOver` returns `false`, as a recording is. AVFoundation gets the
    /// size at the time of its question, and the bytes after it if it asks for everything to the end. What is loaded by
    /// URL has the size at the time of the request.
    ///
    /// - Parameter isOver: called about once in the reader's poll interval while a request waits.
    public static func until(_ isOver: @escaping @Sendable () async throws -> Bool) -> Growth {
      Growth(kind: .until(isOver))
    }
  }

  /// The reader of the bytes.
  public let reader: RangeReader
  /// The media type (RFC 9110, section 8.3.1), such as `video/mp4`.
  public let contentType: String
  let growth: Growth
  private let snapshot: RangeReader.Snapshot?

  /// Plays what `reader` reads.
  ///
  /// - Parameters:
  ///   - reader: reads the media.
  ///   - contentType: the media type, such as `video/mp4`. Default: by the end of the source's name, such as `.mp4`. If
  ///     that says nothing, players are not told a type, and AVFoundation as a rule refuses to play.
  ///   - growth: whether bytes are still to come. The reader's policy must then be `RangeReader.ChangePolicy.follow`.
  /// - Throws: any error of asking the source for its version; `CancellationError`.
  public init(_ reader: RangeReader, contentType: String? = nil, growth: Growth = .none) async throws {
    self.reader = reader
    self.contentType = contentType ?? MediaTypes.type(ofName: Self.path(reader.source.name))
    self.growth = growth
    if case .none = growth.kind { snapshot = try await reader.snapshot() } else { snapshot = nil }
  }

  /// The size now, in bytes.
  public var byteCount: Int { snapshot?.byteCount ?? reader.byteCount }

  /// What becomes of the requests of a player, from now on.
  ///
  /// - Parameter waits: `false` if requests take the size now for the final one, where the final one is not known.
  func requests(waits: Bool) -> LoadingRequests<any Error> {
    switch growth.kind {
    case .to(let byteCount): LoadingRequests(byteCount: self.byteCount, growingTo: byteCount)
    case .until where waits: LoadingRequests(byteCount: byteCount, growingTo: nil)
    case .none, .until: LoadingRequests(byteCount: byteCount)
    }
  }

  func read(_ range: ByteRange) async throws -> Bytes {
    if let snapshot { try await snapshot.read(range) } else { try await reader.read(range) }
  }

  /// Waits for bytes at `offset`. Returns the size then, and whether it will not grow any more.
  func grew(to offset: Int) async throws -> (byteCount: Int, isOver: Bool) {
    var isOver: (@Sendable () async throws -> Bool)?
    if case .until(let told) = growth.kind { isOver = told }
    let isLonger = try await reader.waitForBytes(at: offset, until: isOver)
    return (reader.byteCount, !isLonger)
  }

  /// The name of a source without what follows the path of a URL.
  private static func path(_ name: String) -> String { String(name.prefix { $0 != "?" && $0 != "#" }) }
}
