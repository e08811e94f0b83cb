#if canImport(Darwin) && !os(watchOS)
  public import AVFoundation
  internal import Dispatch
  public import Foundation
  internal import RangeIO
  internal import RangeIOFoundation
  internal import UniformTypeIdentifiers

  // Unchecked: all but `queue` is used on `queue` only.
  /// Answers the loading requests of an asset from ``PlayableMedia``. `AVURLAsset(media)` makes one.
  ///
  /// All requests of the asset, and all answers, go over ``queue``. A request that is cancelled ends its read, and gets
  /// nothing more.
  public final class MediaResourceLoader: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    /// The queue to give to `AVAssetResourceLoader.setDelegate(_:queue:)`.
    public let queue: DispatchQueue
    private let loads: MediaLoads
    private let contentType: String?
    /// Requests under way. They are kept, so that no other object takes their place in memory.
    private var requests: [ObjectIdentifier: Int] = [:]

    /// - Parameter media: what is played.
    public init(_ media: PlayableMedia) {
      let context = QueueContext()
      queue = context.queue
      loads = MediaLoads(media, waits: true, in: context)
      contentType = media.uniformType?.identifier
    }

    /// Begins to answer.
    public func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      let asked = loadingRequest.contentInformationRequest != nil
      let client = Client(loadingRequest, contentType) { [weak self] in
        self?.requests[ObjectIdentifier(loadingRequest)] = nil
      }
      let id = loads.begin(loadingRequest.dataRequest?.span ?? .nothing, asksForInformation: asked, client)
      if !client.hasEnded { requests[ObjectIdentifier(loadingRequest)] = id }
      return true
    }

    /// Ends the read, and answers no more.
    public func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
      if let id = requests.removeValue(forKey: ObjectIdentifier(loadingRequest)) { loads.cancel(id) }
    }
  }

  private struct QueueContext: LoadingContext {
    let queue = DispatchQueue(label: "RangeIOMedia.resources")

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
  }

  /// One loading request.
  private final class Client: LoadingClient {
    private let request: AVAssetResourceLoadingRequest
    private let contentType: String?
    private let end: () -> Void
    private(set) var hasEnded = false

    init(_ request: AVAssetResourceLoadingRequest, _ contentType: String?, end: @escaping () -> Void) {
      (self.request, self.contentType, self.end) = (request, contentType, end)
    }

    func inform(_ information: LoadingRequests<any Error>.Information) {
      guard let asked = request.contentInformationRequest else { return }
      // A type that is not allowed raises an exception; without one AVFoundation looks at the bytes.
      let isAllowed = asked.allowedContentTypes.map { allowed in contentType.map(allowed.contains) ?? false } ?? true
      asked.contentType = isAllowed ? contentType : nil
      asked.contentLength = Int64(information.byteCount)
      asked.isByteRangeAccessSupported = true
    }

    func answer(_ bytes: Bytes) { request.dataRequest?.respond(with: Data(bytes)) }

    func finish() {
      close()
      request.finishLoading()
    }

    func fail(_ error: any Error) {
      close()
      request.finishLoading(with: error)
    }

    private func close() {
      hasEnded = true
      end()
    }
  }

  extension AVAssetResourceLoadingDataRequest {
    fileprivate var span: LoadingRequests<any Error>.Span {
      // Where numbers have 32 bits, what lies beyond is asked for in vain.
      let start = Int(clamping: currentOffset)
      guard !requestsAllDataToEndOfResource else { return .from(start) }
      return .bytes(offset: start, count: Int(clamping: requestedOffset + Int64(requestedLength) - currentOffset))
    }
  }
#endif
