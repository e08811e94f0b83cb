#if Tool && HTTP

import RangeIO
import RangeIORemote
import RangeIOSupport

#if S3
import RangeIOS3
#endif
#if Azure
import RangeIOAzure
#endif
#if GCS
import RangeIOGCS
#endif

extension RemoteListing {
  /// The names behind the URL that the user named.
  ///
  /// - Parameters:
  ///   - folder: that of names below it, with a `/` at its end; empty: the place itself.
  ///   - isWebDAV: asks a web server by WebDAV alone.
  init(
    _ name: SourceName, below folder: [UInt8], isRecursive: Bool, isWebDAV: Bool = false, _ options: OpeningOptions
  ) throws(ToolFailure) {
    // Fails if this build cannot read such URLs.
    let pipeline = try OpenedSource(name, options).pipeline(options)
    let settings = options.remote ?? RemoteSettings()
    let below = String(decoding: folder, as: UTF8.self)
    switch name.kind {
    #if S3
    case .s3:
      self = S3Source.listing(
        name.text + below, isRecursive: isRecursive, configuration: .init(settings, options), pipeline: pipeline)
    #endif
    #if Azure
    case .azure:
      self = AzureSource.listing(
        settings.address(of: name) + below, isRecursive: isRecursive, configuration: .init(settings, options),
        pipeline: pipeline)
    #endif
    #if GCS
    case .gcs:
      self = GCSSource.listing(
        name.text + below, isRecursive: isRecursive, configuration: .init(settings, options), pipeline: pipeline)
    #endif
    default:
      let (path, rest) = name.pathAndRest
      let slash = folder.isEmpty || path.hasSuffix("/") ? "" : "/"
      let url = path + slash + PercentCoding.encoded(bytes: folder, keeping: UInt8(ascii: "/")) + rest
      let configuration = RemoteConfiguration(web: settings, options)
      self =
        isWebDAV
        ? .webDAV(url, configuration: configuration, pipeline: pipeline)
        : .directory(url, configuration: configuration, pipeline: pipeline)
    }
  }
}

extension SourceName {
  /// The text up to a query, and the query.
  fileprivate var pathAndRest: (String, String) {
    let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
    return (String(text[..<end]), String(text[end...]))
  }
}

#endif
