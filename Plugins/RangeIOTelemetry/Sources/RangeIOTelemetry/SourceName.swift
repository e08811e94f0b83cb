#if Telemetry
  /// The name of a source as an attribute: which one depends on what the name looks like.
  struct SourceName: Hashable, Sendable {
    /// `url.full` for a URL, `file.path` for an absolute path, `rangeio.source.name` for anything else.
    let key: TelemetryName
    let value: String

    /// - Parameter name: of a `SourceDescription` or `ReadError`, which hide what may be secret.
    init(_ name: String) {
      if name.firstRange(of: "://") != nil {
        (key, value) = (.url, name)
      } else if name.hasPrefix("/") {
        (key, value) = (.filePath, name)
      } else {
        (key, value) = (.sourceName, name)
      }
    }
  }
#endif
