#if canImport(Darwin) && !os(watchOS)
  public import AVFoundation
  internal import Foundation
  internal import ObjectiveC
  internal import UniformTypeIdentifiers

  extension AVURLAsset {
    /// An asset whose bytes come from `media`.
    ///
    /// ```swift
    /// let player = AVPlayer(playerItem: AVPlayerItem(asset: AVURLAsset(media)))
    /// player.automaticallyWaitsToMinimizeStalling = false
    /// player.play()
    /// ```
    ///
    /// Apple asks for that setting where a delegate loads what is played. The asset keeps the delegate alive.
    ///
    /// - Parameter options: as of `AVURLAsset(url:options:)`.
    public convenience init(_ media: PlayableMedia, options: [String: Any]? = nil) {
      let ending = media.uniformType?.preferredFilenameExtension ?? "bin"
      // Only a scheme that the system does not load itself reaches the delegate. `!`: such an ending has letters and digits.
      self.init(url: URL(string: "\(PublishedMedia.scheme)://asset/media.\(ending)")!, options: options)
      let loader = MediaResourceLoader(media)
      resourceLoader.setDelegate(loader, queue: loader.queue)
      // The resource loader itself does not keep it.
      objc_setAssociatedObject(resourceLoader, &loaderKey, loader, .OBJC_ASSOCIATION_RETAIN)
    }
  }

  extension PlayableMedia {
    /// The media type as Apple platforms name types; `nil` if it says nothing.
    var uniformType: UTType? {
      let name = contentType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
      return UTType(mimeType: name).flatMap { $0 == .data ? nil : $0 }
    }
  }

  // Its address is the key; nothing reads or writes it.
  nonisolated(unsafe) private var loaderKey: UInt8 = 0
#endif
