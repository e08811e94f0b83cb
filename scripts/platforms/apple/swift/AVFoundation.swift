// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's framework AVFoundation that this package uses, as its documentation and AVAssetResourceLoader.h declare it.
// Requirements that are optional there have a default here. Nothing here runs.

public import Dispatch
public import Foundation
public import FoundationNetworking

private func stub<Value>() -> Value { fatalError("only for type checks") }

open class AVAsset: NSObject, @unchecked Sendable {}

open class AVURLAsset: AVAsset, @unchecked Sendable {
  public init(url URL: URL, options: [String: Any]? = nil) {}
  open var url: URL { stub() }
  open var resourceLoader: AVAssetResourceLoader { stub() }
}

@MainActor open class AVPlayerItem: NSObject {
  public nonisolated init(asset: AVAsset) {}
}

@MainActor open class AVPlayer: NSObject {
  public init(playerItem item: AVPlayerItem?) {}
  open func play() {}
  open var automaticallyWaitsToMinimizeStalling: Bool = true
}

// MARK: resource loading

open class AVAssetResourceLoader: NSObject {
  open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: DispatchQueue?) {}
  weak open var delegate: (any AVAssetResourceLoaderDelegate)? { stub() }
  open var delegateQueue: DispatchQueue? { stub() }
}

public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
  ) -> Bool
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

extension AVAssetResourceLoaderDelegate {
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool { false }
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
  ) -> Bool { false }
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
  ) {}
}

open class AVAssetResourceLoadingRequest: NSObject {
  open var request: URLRequest { stub() }
  open var isFinished: Bool { stub() }
  open var isCancelled: Bool { stub() }
  open var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { stub() }
  open var dataRequest: AVAssetResourceLoadingDataRequest? { stub() }
  open func finishLoading() {}
  open func finishLoading(with error: (any Error)?) {}
}

open class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest {}

open class AVAssetResourceLoadingContentInformationRequest: NSObject {
  open var contentType: String?
  open var allowedContentTypes: [String]? { stub() }
  open var contentLength: Int64 = 0
  open var isByteRangeAccessSupported = false
  open var renewalDate: Date?
  open var isEntireLengthAvailableOnDemand = false
}

open class AVAssetResourceLoadingDataRequest: NSObject {
  open var requestedOffset: Int64 { stub() }
  open var requestedLength: Int { stub() }
  open var requestsAllDataToEndOfResource: Bool { stub() }
  open var currentOffset: Int64 { stub() }
  open func respond(with data: Data) {}
}
