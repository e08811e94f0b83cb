#if Tool && Serve
import CRangeIOSystem
import RangeIO
import RangeIORemote
import RangeIOServe
import SystemPackage

/// The sources of the command line, each under its name.
struct ServeUpstreams {
  let upstreams: [(String, any ServedUpstream)]
  /// Messages about the sources whose name got a number.
  let numbered: [String]

  init(_ command: ServeCommand, _ store: ServeStore) throws {
    guard !command.sources.isEmpty else { throw ToolFailure.usage("name a directory, a file or a URL") }
    guard command.remote.renew == nil || command.sources.count == 1 else {
      throw ToolFailure.usage("--renew brings the URL of one object: serve it alone")
    }
    var (sources, names, upstreams) = ([String](), [String](), [any ServedUpstream]())
    let headers = try command.remote.headers()
    for text in command.sources {
      let name = SourceName(text)
      let upstream = try Self.upstream(name, command, headers, store)
      let isOnly = command.sources.count == 1 && upstream.isPrefix
      let mount = isOnly ? "" : Self.lastName(of: name)
      guard isOnly || ServedName(mount).isServed && mount != "-" else {
        throw ToolFailure.usage("\(name.shown): there is no name to serve it under: serve it alone")
      }
      sources.append(name.shown)
      names.append(mount)
      upstreams.append(upstream.source)
    }
    let distinct = Self.distinct(names)
    self.upstreams = Array(zip(distinct, upstreams))
    numbered = sources.indices.filter { distinct[$0] != names[$0] }.map {
      "source \($0 + 1), \(sources[$0]), is served at /\(ServedName(distinct[$0]).encoded)"
    }
  }

  /// The names, with a number where a name came before: `x`, `x-2`. A source is often known by its last name only in
  /// part, since the rest may be secret.
  static func distinct(_ names: [String]) -> [String] {
    // By their bytes.
    var taken: Set<ServedName> = []
    return names.map { name in
      var (unique, number) = (name, 1)
      while !taken.insert(ServedName(unique)).inserted {
        number += 1
        unique = "\(name)-\(number)"
      }
      return unique
    }
  }

  /// - Returns: the upstream, and whether it has names below it.
  private static func upstream(
    _ given: SourceName, _ command: ServeCommand, _ headers: [RemoteHeader], _ store: ServeStore
  ) throws -> (source: any ServedUpstream, isPrefix: Bool) {
    let name = given.isBucket ? SourceName(given.text + "/") : given
    let revalidate = Duration.seconds(command.revalidate)
    let pipeline = store.remote(timeLimit: .seconds(command.timeLimit), hedges: command.hedge)
    guard name.isURL else {
      let filePipeline = command.far ? pipeline : []
      let path = try PathArgument.path(name.text, for: "serve")
      let mode = path.withCString { rio_mode_of_path($0) }
      guard mode >= 0 else {
        throw ToolFailure(reading: name, .errno(Errno(rawValue: CInt(-mode)), "serve it", source: path))
      }
      switch rio_file_kind_of(UInt32(mode)) {
      case rio_regular_file:
        return (FileUpstream(path, pipeline: filePipeline, isAppendOnly: command.growing), false)
      // No cache would see it change.
      case rio_block_device: return (FileUpstream(path, pipeline: []), false)
      default: break
      }
      do {
        return (try DirectoryUpstream(path, pipeline: filePipeline, isAppendOnly: command.growing), true)
      } catch let error as ReadError {
        throw ToolFailure(reading: name, error)
      }
    }
    guard !command.growing else { throw ToolFailure.usage("\(name.shown): --growing is for files") }
    guard name.hasHost else { throw ToolFailure.usage("\(name.shown): there is no host: write https://host/path") }
    let options = OpeningOptions(remote: try command.remote.checked(for: name, headers: headers), parallel: 16)
    // Fails now if this build cannot read such URLs.
    _ = try OpenedSource(name, options)
    guard options.remote?.renew == nil || !name.text.hasSuffix("/") else {
      throw ToolFailure.usage("\(name.shown): --renew brings the URL of one object, and this has names below it")
    }
    guard name.text.hasSuffix("/") else {
      return (
        ObjectUpstream(freshness: revalidate) {
          try await Self.reader(name, options, pipeline, command)
        }, false
      )
    }
    guard name.kind != .http else {
      return (
        ObjectUpstream(freshness: revalidate) { path in
          let below = SourceName(name.text + path.map(\.encoded).joined(separator: "/"))
          return try await Self.reader(below, options, pipeline, command)
        }, true
      )
    }
    return (Self.bucket(name, options, pipeline, command), true)
  }

  /// The objects of a store below a URL. Their names are not encoded there.
  private static func bucket(
    _ name: SourceName, _ options: OpeningOptions, _ pipeline: ReadPipeline, _ command: ServeCommand
  ) -> ObjectUpstream {
    var patient = options
    patient.remote?.timeLimit = .seconds(command.timeLimit)
    return ObjectUpstream(freshness: .seconds(command.revalidate)) { path in
      guard path.allSatisfy(\.isText) else {
        throw ReadError(.notFound, "no object of a store has a name that is no UTF-8", source: name.text)
      }
      let below = SourceName(name.text + path.map(\.description).joined(separator: "/"))
      guard !below.namesVersion(options.remote) else {
        throw ReadError(
          .notFound, "only present objects are served, and this address is of a version", source: name.text)
      }
      return try await Self.reader(below, options, pipeline, command)
    } listBelow: { [patient] path in
      let folder = path.flatMap { $0.bytes + [UInt8(ascii: "/")] }
      return try RemoteListing(name, below: folder, isRecursive: false, patient)
    }
  }

  /// Opens an object, within the time that a read may take.
  private static func reader(
    _ name: SourceName, _ options: OpeningOptions, _ pipeline: ReadPipeline, _ command: ServeCommand
  ) async throws -> RangeReader {
    let (revalidate, limit) = (Duration.seconds(command.revalidate), Duration.seconds(command.timeLimit))
    return try await withThrowingTaskGroup(of: RangeReader.self) { group in
      group.addTask {
        try await RangeReader(
          OpenedSource(name, options).source, pipeline, onChange: .refresh.polling(every: revalidate))
      }
      group.addTask {
        try await Task.sleep(for: limit)
        throw ReadError(.timedOut, "the server did not say what the object is within \(limit)", isTransient: true)
      }
      defer { group.cancelAll() }
      // Both are there.
      return try await group.next()!
    }
  }

  /// The last name of the path, without parameters.
  private static func lastName(of name: SourceName) -> String {
    guard name.isURL else { return name.text.split(separator: "/").last.map(String.init) ?? "" }
    // Of a URL without a path, the host is the last.
    let last = name.shown.prefix { !"?#".contains($0) }.split(separator: "/").last ?? ""
    return String(last.prefix { $0 != ";" && $0 != "…" })
  }
}
#endif
