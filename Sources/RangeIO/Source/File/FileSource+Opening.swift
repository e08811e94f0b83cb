import Synchronization
import SystemPackage

// Which file is open, and how it was opened.

extension FileSource {
  enum Location {
    case text(String)
    case path(FilePath)
    case adopted(OpenFile)

    /// The path as it was given, with `~` not yet replaced; `nil` for an adopted descriptor.
    var writtenPath: FilePath? {
      switch self {
      case .text(let path): path.utf8.contains(0) ? nil : FilePath(path)
      case .path(let path): path
      case .adopted: nil
      }
    }
  }

  func enter() throws(ReadError) {
    guard gate.enter() else { throw .closed }
  }

  /// The file opened last. Opens it now if there is none.
  func currentLanes() async throws -> FileLanes {
    if generation.load(ordering: .acquiring) > 0, let lanes = renewed.withLock({ $0 }) { return lanes }
    return if let open = opened.value { open } else { try await open() }
  }

  /// The lanes for reading the version that `source` describes.
  func openLanes(for source: SourceDescription) throws(ReadError) -> FileLanes {
    let generation = generation.load(ordering: .acquiring)
    if generation > 0 {
      let lanes = renewed.withLock { $0 }
      guard let lanes, FileSnapshot.of(source)?.generation == generation else {
        throw .changed("another file has been opened under its name", .init(source: source.name))
      }
      return lanes
    }
    guard let lanes = opened.value else {
      throw ReadError(.invalidConfiguration, "the file has not been described yet: call describe() before read")
    }
    return lanes
  }

  /// Opens the file on an I/O thread, since the path may lead to a server that does not answer.
  private func open() async throws -> FileLanes {
    // If two tasks open it at the same time, the first wins; the other's descriptor closes with its lanes.
    opened.publish(try await openAnew())
  }

  /// The first file, and the one opened last if that is another.
  var allLanes: [FileLanes] { [opened.value, renewed.withLock { $0 }].compactMap { $0 } }

  /// The number of the file opened last.
  var currentGeneration: Int { generation.load(ordering: .acquiring) }

  /// - Parameter lanes: the file opened last; its path is opened again. Default: none.
  func openAnew(after lanes: FileLanes? = nil) async throws -> FileLanes {
    let threads = lanes.map { pathThreads(of: $0) } ?? configuration.pathThreads.threads(toOpen: location.writtenPath)
    return try await onThread(of: threads) { [location, configuration, gate, waiting] in
      let opened =
        switch location {
        case .text(let path):
          try FileOpening.open(
            lanes?.path ?? FilePath(FilePathExpansion.expand(path)), name: path, configuration.syscalls)
        case .path(let path):
          try FileOpening.open(
            lanes?.path ?? FilePathExpansion.expand(path), name: path.string, configuration.syscalls)
        case .adopted(let file): try FileOpening.adopt(file)
        }
      return FileLanes(
        opened, threads: configuration.threads(of: opened), gate: gate, waiting: waiting)
    }
  }

  /// The threads that follow the path of a file.
  func pathThreads(of lanes: FileLanes) -> IOThreads {
    lanes.isRemote ? lanes.threads : configuration.pathThreads.local
  }
}

extension FileSource.Configuration {
  /// The threads that wait for the disk or the server of a file. May wait for that server.
  fileprivate func threads(of opened: FileOpening.Opened) -> IOThreads {
    guard opened.file.isRemote else {
      if let path = opened.path { pathThreads.learnLocal(path) }
      return threads
    }
    let server = pathThreads.server(opened.status.device)
    opened.file.isServed(by: server)
    if let path = opened.path { pathThreads.learn(path, leadsTo: opened.status.device, syscalls.statusOfPath) }
    return server
  }
}
