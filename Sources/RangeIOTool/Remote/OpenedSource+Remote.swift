#if Tool
#if HTTP
import ArgumentParser
import RangeIO
import RangeIOHTTP

extension OpenedSource {
  /// An object behind an `http` or `https` URL.
  static func http(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
    var configuration = RemoteConfiguration(web: settings, options)
    configuration.judgesByTime = settings.trustsTimes
    configuration.findsSizeByEnd = !options.needsNoSize
    if options.readsAll { configuration.skipLimit = .bytes(.max) }
    let source =
      if let command = settings.renew {
        HTTPSource(name.text, configuration: configuration) { try await RenewCommand.url(command) }
      } else {
        HTTPSource(name.text, configuration: configuration)
      }
    var opened = OpenedSource(remote: source)
    opened.readAll = { try await source.readAll($0) }
    return opened
  }

  private init(remote source: some RemoteSource) {
    self.init(remote: source) { range, description, receive in
      try await source.read(range, of: description, receive: receive)
    }
  }
}

extension RemoteConfiguration {
  /// The settings that the options give to what is behind an `http` or `https` URL.
  init(web settings: RemoteSettings, _ options: OpeningOptions) {
    self.init(settings, options)
    userAgent = "rangeio/\(RangeIOTool.configuration.version)"
  }

  /// The settings that the options give to any remote object.
  fileprivate init(_ settings: RemoteSettings, _ options: OpeningOptions) {
    self.init()
    headers = settings.headers.map { ($0.name, $0.value) }
    maxConnectionsPerHost = options.parallel
    if let path = settings.certificates { additionalTrustRoots = [.file(path)] }
    acceptsEncoded = settings.acceptsEncoded
    readTimeout = settings.timeLimit
    opening = options.opening
    isAppendOnly = options.follows
  }
}
#endif

#if S3
import RangeIOS3

extension OpenedSource {
  /// An object of a bucket.
  static func s3(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
    OpenedSource(remote: S3Source(name.text, configuration: .init(settings, options)))
  }
}

extension S3Source.Configuration {
  init(_ settings: RemoteSettings, _ options: OpeningOptions) {
    self.init()
    remote = RemoteConfiguration(settings, options)
    region = settings.region
    endpoint = settings.endpoint
    if !settings.signs {
      credentials = .anonymous
    } else if let profile = settings.profile {
      credentials = .profile(profile)
    }
  }
}
#endif

#if Azure
import RangeIOAzure

extension OpenedSource {
  /// A blob of Azure Storage.
  static func azure(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
    OpenedSource(remote: AzureSource(settings.address(of: name), configuration: .init(settings, options)))
  }
}

extension AzureSource.Configuration {
  init(_ settings: RemoteSettings, _ options: OpeningOptions) {
    self.init()
    remote = RemoteConfiguration(settings, options)
    endpoint = settings.endpoint
    if !settings.signs {
      credentials = .anonymous
    } else if let signature = settings.signature {
      credentials = .sas(signature.text)
    }
  }
}
#endif

#if GCS
import RangeIOGCS

extension OpenedSource {
  /// An object of a bucket at Google.
  static func gcs(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
    OpenedSource(remote: GCSSource(name.text, configuration: .init(settings, options)))
  }
}

extension GCSSource.Configuration {
  init(_ settings: RemoteSettings, _ options: OpeningOptions) {
    self.init()
    remote = RemoteConfiguration(settings, options)
    endpoint = settings.endpoint
    userProject = settings.project
    if !settings.signs { credentials = .anonymous }
  }
}
#endif

extension SourceName {
  /// `true` if the address of a store's object ends with the version to read. The name of an object may look so too.
  func namesVersion(_ settings: RemoteSettings?) -> Bool {
    // `try?`: what is no address is told when it is opened.
    switch kind {
    #if S3
    case .s3: return (try? S3Address(text))?.versionID != nil
    #endif
    #if Azure
    case .azure:
      let address = try? AzureAddress(settings?.address(of: self) ?? text)
      return address?.versionID != nil || address?.snapshot != nil
    #endif
    #if GCS
    case .gcs: return (try? GCSAddress(text))?.generation != nil
    #endif
    default: return false
    }
  }
}
#endif
