internal import CRangeIOMapped
internal import RangeIO
internal import SystemPackage

// The file that is mapped: opened by the first use, and anew when another takes its place.

extension MappedSource {
  static let closed = ReadError(.closed, "the source is closed: make a new one to read on")

  /// The file, if it has been opened.
  func openFile() throws -> MappedFile? {
    let (file, isClosed) = state.withLock { ($0.file, $0.isClosed) }
    if isClosed { throw Self.closed }
    return file
  }

  func open() async throws {
    let new = try await openAnew()
    let isFirst = try state.withLock { state in
      if state.isClosed { throw Self.closed }
      // Of two who open at once the first wins; the other's descriptor closes with its object.
      defer { if state.file == nil { state.file = new } }
      return state.file == nil
    }
    if isFirst { announce(new) }
  }

  /// - Parameter file: the one that was opened last, of which the path is opened anew. Default: there is none.
  func openAnew(after file: MappedFile? = nil) async throws -> MappedFile {
    try await (file?.pathQueues ?? .opening).run { [path, configuration] in
      try MappedFile.open(file?.path ?? path, name: path.string, configuration.access, configuration.calls)
    }
  }

  /// What the path leads to now; `nil` if nowhere. It is not opened for that: closing it again would drop all POSIX locks
  /// that this process has on it.
  func statusByName(_ file: MappedFile) async throws -> rim_status? {
    try await file.pathQueues.run { [configuration] in
      var status = rim_status()
      let result = configuration.calls.statusOfPath(file.path, &status)
      if result >= 0 { return status }
      let error = ReadError.errno(Errno(rawValue: -result), "look at the file", file.context())
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Tells the kernel of a file that is read from now on what will be read of it.
  func announce(_ file: MappedFile) {
    // `try?`: this saves time and nothing else, and what is wrong is told by the first read.
    // And for what a server has, nothing is done that nobody asked for.
    guard !file.isRemote, case .willNeed = configuration.access, let count = (try? file.status())?.size, count > 0
    else {
      return
    }
    _ = try? file.mapping(covering: Int(count), of: Int(count))
    file.advise(configuration.access)
  }

  func opened(_ source: SourceDescription) throws -> (MappedFile, MappedVersion) {
    let (file, generation, isClosed) = state.withLock { ($0.file, $0.generation, $0.isClosed) }
    if isClosed { throw Self.closed }
    guard let file, let snapshot = MappedSnapshot.of(source) else {
      throw ReadError(.invalidConfiguration, "the file has not been described yet: call describe() before read")
    }
    guard snapshot.generation == generation else {
      throw ReadError(
        .sourceChanged, "another file has been opened under its name: open it again to read the new version",
        context: file.context())
    }
    return (file, snapshot.version)
  }
}
