import Synchronization
import SystemPackage

// Which file is open, and how it came to be.

extension FileSource {
  enum Location {
    case text(String)
    case path(FilePath)
    case adopted(OpenFile)

    /// Where the file lies; `nil` for a descriptor that was adopted. May ask a server for a home directory.
    func path() throws(ReadError) -> FilePath? {
      switch self {
      case .text(let path): FilePath(try FilePathExpansion.expand(path))
      case .path(let path): try FilePathExpansion.expand(path)
      case .adopted: nil
      }
    }
  }

  func enter() throws(ReadError) {
    guard gate.enter() else { throw .closed }
  }

  /// The file opened last, which is opened now if there is none.
  func currentLanes() async throws -> FileLanes {
    if generation.load(ordering: .acquiring) > 0, let lanes = renewed.withLock({ $0 }) { return lanes }
    return if let open = opened.value { open } else { try await open() }
  }

  /// The lanes to read the version by that `source` describes.
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

  /// Opens the file on an I/O thread, since a path may lead to a server that does not answer.
  private func open() async throws -> FileLanes {
    // Of two who open at once the first wins; the other's descriptor closes with its lanes.
    opened.publish(try await openAnew())
  }

  /// The first file, and the one opened last if that is another.
  var allLanes: [FileLanes] { [opened.value, renewed.withLock { $0 }].compactMap { $0 } }

  /// The number of the file opened last.
  var currentGeneration: Int { generation.load(ordering: .acquiring) }

  func openAnew() async throws -> FileLanes {
    try await onThread(of: configuration.remoteThreads) { [location, configuration, gate, waiting] in
      let opened =
        switch location {
        case .text(let path):
          try FileOpening.open(FilePath(FilePathExpansion.expand(path)), name: path, configuration.syscalls)
        case .path(let path):
          try FileOpening.open(FilePathExpansion.expand(path), name: path.string, configuration.syscalls)
        case .adopted(let file): try FileOpening.adopt(file)
        }
      let threads = opened.file.isRemote ? configuration.remoteThreads : configuration.threads
      return FileLanes(opened, threads: threads, gate: gate, waiting: waiting)
    }
  }
}
