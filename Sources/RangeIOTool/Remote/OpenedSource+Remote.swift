#if HTTP
  import ArgumentParser
  import RangeIO
  import RangeIOHTTP

  extension OpenedSource {
    /// An object behind an `http` or `https` URL.
    static func http(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
      var configuration = RemoteConfiguration(settings, options)
      configuration.judgesByTime = settings.trustsTimes
      configuration.findsSizeByEnd = !options.needsNoSize
      if options.readsAll { configuration.skipLimit = .bytes(.max) }
      configuration.userAgent = "rangeio/\(RangeIOTool.configuration.version)"
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
      var configuration = S3Source.Configuration()
      configuration.remote = RemoteConfiguration(settings, options)
      configuration.region = settings.region
      configuration.endpoint = settings.endpoint
      if !settings.signs {
        configuration.credentials = .anonymous
      } else if let profile = settings.profile {
        configuration.credentials = .profile(profile)
      }
      return OpenedSource(remote: S3Source(name.text, configuration: configuration))
    }
  }
#endif

#if Azure
  import RangeIOAzure

  extension OpenedSource {
    /// A blob of Azure Storage.
    static func azure(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
      var configuration = AzureSource.Configuration()
      configuration.remote = RemoteConfiguration(settings, options)
      configuration.endpoint = settings.endpoint
      if !settings.signs { configuration.credentials = .anonymous }
      return OpenedSource(remote: AzureSource(name.text, configuration: configuration))
    }
  }
#endif

#if GCS
  import RangeIOGCS

  extension OpenedSource {
    /// An object of a bucket at Google.
    static func gcs(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
      var configuration = GCSSource.Configuration()
      configuration.remote = RemoteConfiguration(settings, options)
      configuration.endpoint = settings.endpoint
      if !settings.signs { configuration.credentials = .anonymous }
      return OpenedSource(remote: GCSSource(name.text, configuration: configuration))
    }
  }
#endif
