public import Foundation
internal import RangeIOSupport

/// Media that have a URL, for as long as this object lives: for code that takes a URL and loads it with `URLSession`.
///
/// ```swift
/// let published = PublishedMedia(media, name: "film.mp4")
/// let configuration = URLSessionConfiguration.default
/// configuration.protocolClasses = [MediaURLProtocol.self]
/// let session = URLSession(configuration: configuration)
/// let (bytes, response) = try await session.data(from: published.url)
/// ```
///
/// The URL has a part that cannot be guessed, and is good in this process only. Requests that are under way when the object is
/// freed are answered.
public final class PublishedMedia: Sendable {
  /// The scheme of the URLs.
  public static let scheme = "rangeio-media"

  private static let published = Guarded<[String: PlayableMedia]>([:])

  /// `rangeio-media://` with a host that names the media, and the name as the path.
  public let url: URL
  private let key: String

  /// Gives `media` a URL.
  ///
  /// - Parameters:
  ///   - media: what the URL leads to.
  ///   - name: the last part of the URL's path. Some code looks at its end, such as `.mp4`.
  public init(_ media: PlayableMedia, name: String = "media") {
    let key = UUID().uuidString.lowercased()
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.host = key
    parts.path = "/" + name
    // A scheme, a host and an absolute path: all that such components need.
    url = parts.url!
    self.key = key
    Self.published.withLock { $0[key] = media }
  }

  deinit { Self.published.withLock { _ = $0.removeValue(forKey: key) } }

  /// The media at a URL.
  static func media(at url: URL) -> PlayableMedia? {
    guard has(url), let key = url.host() else { return nil }
    return published.withLock { $0[key.lowercased()] }
  }

  /// `true` if `url` has the scheme of media.
  static func has(_ url: URL) -> Bool { url.scheme?.lowercased() == scheme }
}
