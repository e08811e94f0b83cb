#if HTTP
  import ArgumentParser
  import RangeIO
  import RangeIOHTTP

  extension OpenedSource {
    /// An object behind an `http` or `https` URL.
    static func http(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
      var configuration = HTTPSource.Configuration()
      configuration.headers = settings.headers.map { ($0.name, $0.value) }
      configuration.connectionsPerHost = options.parallel
      if let path = settings.certificates { configuration.additionalTrustRoots = [.file(path)] }
      configuration.acceptsEncoded = settings.acceptsEncoded
      configuration.judgesByTime = settings.trustsTimes
      if let limit = settings.timeLimit { configuration.readTimeout = limit }
      configuration.opening = options.opening
      configuration.findsSizeByEnd = !options.needsNoSize
      if options.readsAll { configuration.skipLimit = .bytes(.max) }
      configuration.userAgent = "rangeio/\(RangeIOTool.configuration.version)"
      let source = HTTPSource(name.text, configuration: configuration)
      var opened = OpenedSource(remote: source) { range, description, receive in
        try await source.read(range, of: description, receive: receive)
      }
      opened.readAll = { try await source.readAll($0) }
      return opened
    }
  }
#endif

#if S3
  import RangeIOS3

  extension OpenedSource {
    /// An object of a bucket.
    static func s3(_ name: SourceName, _ settings: RemoteSettings, _ options: OpeningOptions) -> OpenedSource {
      var configuration = S3Source.Configuration()
      configuration.headers = settings.headers.map { ($0.name, $0.value) }
      configuration.connectionsPerHost = options.parallel
      if let path = settings.certificates { configuration.additionalTrustRoots = [path] }
      configuration.acceptsEncoded = settings.acceptsEncoded
      if let limit = settings.timeLimit { configuration.readTimeout = limit }
      configuration.opening = options.opening
      configuration.region = settings.region
      configuration.endpoint = settings.endpoint
      if !settings.signs {
        configuration.credentials = .anonymous
      } else if let profile = settings.profile {
        configuration.credentials = .profile(profile)
      }
      let source = S3Source(name.text, configuration: configuration)
      return OpenedSource(remote: source) { range, description, receive in
        try await source.read(range, of: description, receive: receive)
      }
    }
  }
#endif
