#if Tool
import RangeIO
import RangeIORemote

/// The options for opening a source.
struct OpeningOptions {
  /// `nil`: every name is a path.
  var remote: RemoteSettings?
  /// The way to read files.
  var engine = FileSource.Engine.automatic
  /// A file may grow while it is read.
  var isAppendOnly = false
  /// What is added is read too, also of an object behind a URL.
  var follows = false
  /// The most requests at the same time to a server.
  var parallel = 8
  /// All of a source is read, in its order: then what a server without ranges sent before may be passed over.
  var readsAll = false
  /// It can be read without knowing its size.
  var needsNoSize = false
  /// The first read of an object behind a URL.
  var opening = RemoteOpening.beginning
}

/// The source that the user named: the one place that knows which kinds there are.
struct OpenedSource {
  /// Passes the bytes of a range on in order, as they arrive.
  typealias ArrivingRead =
    @Sendable (
      _ range: ByteRange, _ source: SourceDescription, _ receive: @escaping @Sendable (Bytes) throws -> Void
    ) async throws -> Void

  /// Passes all bytes on in order, as they arrive, and returns how many.
  typealias ReadAll = @Sendable (_ receive: (Bytes) throws -> Void) async throws -> Int

  let source: any RangeSource
  /// Each request costs a round trip.
  let isRemote: Bool
  /// `nil` if the source returns the bytes of a range only when all are there.
  var arriving: ArrivingRead?
  /// Reads all bytes once, also of what has no length; `nil`: the source always has one.
  var readAll: ReadAll?

  /// Makes the source called `name`. Opens nothing yet.
  init(_ name: SourceName, _ options: OpeningOptions) throws(ToolFailure) {
    guard let remote = options.remote, name.isURL else {
      source = try PathArgument.source(
        name.text, configuration: .init(engine: options.engine, isAppendOnly: options.isAppendOnly))
      isRemote = false
      return
    }
    guard options.follows || !options.isAppendOnly else { throw .usage("\(name.shown): --growing is for files") }
    switch name.kind {
    case .s3:
      #if S3
      self = .s3(name, remote, options)
      #else
      throw .builtWithout("S3", name)
      #endif
    case .azure:
      #if Azure
      self = .azure(name, remote, options)
      #else
      throw .builtWithout("Azure", name)
      #endif
    case .gcs:
      #if GCS
      self = .gcs(name, remote, options)
      #else
      throw .builtWithout("GCS", name)
      #endif
    case .http, .path:
      #if HTTP
      self = .http(name, remote, options)
      #else
      throw .builtWithout("HTTP", name)
      #endif
    }
  }

  init(remote source: any RangeSource, arriving: @escaping ArrivingRead) {
    self.source = source
    isRemote = true
    self.arriving = arriving
  }

  /// The stages for a command that reads each byte once.
  func pipeline(_ options: OpeningOptions) -> ReadPipeline {
    guard isRemote else { return [] }
    return [
      options.remote?.timeLimit.map { .timeLimit($0) } ?? [],
      options.remote?.retries.map { .retrying(maxAttempts: $0 + 1) } ?? .retrying(),
      .limiting(maxConcurrentReads: options.parallel),
    ]
  }
}

extension ToolFailure {
  /// A source that this build cannot read.
  fileprivate static func builtWithout(_ trait: String, _ name: SourceName) -> ToolFailure {
    ToolFailure(
      "\(name.shown): this rangeio was built without \(trait): build it with --traits Tool,HTTP,S3,Azure,GCS",
      status: .unusableSource)
  }
}
#endif
