internal import CRangeIOMapped
internal import RangeIO
internal import SystemPackage

// How it opens the file: at the first use, and again when another file takes its place.

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
      // If two callers open the file at the same time, the first wins. The other descriptor is closed with its object.
      defer { if state.file == nil { state.file = new } }
      return state.file == nil
    }
    if isFirst { announce(new) }
  }

  /// - Parameter file: the file opened last, whose path is opened again. Default: there is none.
  func openAnew(after file: MappedFile? = nil) async throws -> MappedFile {
    try await (file?.pathQueues ?? .opening).run { [path, configuration] in
      try MappedFile.open(file?.path ?? path, name: path.string, configuration.access, configuration.calls)
    }
  }

  /// The status of the file that the path leads to now; `nil` if there is none. Does not open that file: closing it
  /// again would release all POSIX locks that this process has on it.
  func statusByName(_ file: MappedFile) async throws -> rim_status? {
    try await file.pathQueues.run { [configuration] in
      var status = rim_status()
      let result = configuration.calls.statusOfPath(file.path, &status)
      if result >= 0 { return status }
      let error = ReadError.errno(Errno(rawValue: -result), "look at the file", source: file.name)
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Tells the kernel what will be read of a file that is used from now on.
  func announce(_ file: MappedFile) {
    // A remote file gets no unrequested work.
    guard !file.isRemote, case .willNeed = configuration.access else { return }
    // `try?`: this only saves time, and the first read reports any problem.
    guard let count = (try? file.status())?.size, count > 0 else { return }
    // `try?`: as above.
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
        source: file.name)
    }
    return (file, snapshot.version)
  }
}
