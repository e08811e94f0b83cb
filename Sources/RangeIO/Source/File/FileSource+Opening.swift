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
    return try await work.run(on: threads) { [location, configuration, counters, work] in
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
        opened, configuration, threads: configuration.threads(of: opened), work: work, counters: counters)
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
    if let path = opened.path { pathThreads.learn(path, leadsTo: opened.status.device, syscalls.call.statusOfPath) }
    return server
  }
}

// What the name of a file refers to, for readers that move to new versions.

extension FileSource {
  /// Checks what the path refers to now. If it is another file than the open one, reads that file from now on. If the
  /// path refers to nothing, keeps reading the open file.
  ///
  /// - Throws: like ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    try enter()
    defer { gate.leave() }
    while true {
      let before = currentGeneration
      let lanes = try await currentLanes()
      guard let found = try await statusByName(lanes), !lanes.isOf(found) else {
        return try await describeAtRest(lanes)
      }
      let now = try await openAnew(after: lanes)
      // It may have changed back in between.
      guard !lanes.isOf(now.statusAtOpening) else { return try await describeAtRest(lanes) }
      // If another call has opened a file meanwhile, that may be a newer one, or the same: looks again.
      guard publish(now, after: before, of: lanes) else { continue }
      return try await describe(now)
    }
  }

  /// Reads `now` from here on, unless another file than that of `generation`, which is `lanes`, has been opened since.
  private func publish(_ now: FileLanes, after before: Int, of lanes: FileLanes) -> Bool {
    // Reads in flight hold the previous file. It closes with the last of them, unless it is the first file.
    let isFirst = renewed.withLock { renewed -> Bool? in
      guard generation.load(ordering: .acquiring) == before else { return nil }
      defer { renewed = now }
      generation.add(1, ordering: .releasing)
      return renewed == nil
    }
    guard let isFirst else { return false }
    described.withLock { $0 = nil }
    renewals.notify()
    if isFirst { release(of: lanes) }
    return true
  }

  /// Closes the first file early. As long as it is the only one, reads find it without a lock and without counting
  /// references, so the end of the last read does not show. Reads in flight throw `sourceChanged`, as later ones do.
  private func release(of lanes: FileLanes) {
    gate.enterAgain()
    // Closing may free the disk space of a removed file, which takes time.
    lanes.threads.submit(
      IOJob(isUrgent: false) { [gate] in
        lanes.release()
        gate.leave()
      })
  }

  /// Describes the file once it has been at rest for 250 ms. The kernel stamps a file before a write, and a read during
  /// the write gets half of one version and half of another. All waiters for the file share a timer. A file that is
  /// written to all the time is waited for half a second at most. The version at opening is taken as it is.
  private func describeAtRest(_ lanes: FileLanes) async throws -> SourceDescription {
    var waited = Duration.zero
    var seen: FileStatus?
    while true {
      let now = try await describe(lanes, seen: seen)
      guard lanes.kind == .regular, !configuration.isAppendOnly, let version = FileSnapshot.of(now)?.version,
        !lanes.hasRested(version)
      else {
        return now
      }
      let wallClock = FileTime(nanosecondsSince1970: configuration.syscalls.call.wallClock().now)
      let age = version.modified.duration(to: wallClock)
      guard age >= .zero, age < FileVersion.rest, waited < FileVersion.rest else {
        lanes.rested(version)
        return now
      }
      let wait = try await configuration.resting.wait(FileVersion.rest - age, for: version, in: waiting, gate) {
        [self] in
        try await status(of: lanes)
      }
      waited += wait.waited
      seen = wait.seen
    }
  }

  /// The status of what the path refers to now; `nil` if there is no file or no path.
  ///
  /// The file is not opened for that: closing it again would drop all POSIX locks that this process has on it.
  private func statusByName(_ lanes: FileLanes) async throws -> FileStatus? {
    guard let path = lanes.path else { return nil }
    return try await work.run(on: pathThreads(of: lanes)) {
      [file = lanes.file, syscalls = configuration.syscalls] in
      var status = FileStatus()
      let result = syscalls.call.statusOfPath(path, &status)
      if result >= 0 { return status }
      let error = ReadError.errno(
        Errno(result: result), "look at the file", .init(source: file.name), isRemote: file.isRemote)
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}

// How a reader learns that the file may have changed.

extension FileSource {
  /// Returns when the file may have changed since `source` described it, or when its name may refer to another file.
  ///
  /// If the system does not report changes, as on network file systems, it waits until it is cancelled. It throws while the
  /// system has no watch available.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    let answer = renewals.listen()
    defer { renewals.leave(answer) }
    // The system does not report other machines' changes to a remote file, and watching our own would mean asking the
    // server.
    let watch =
      lanes.isRemote ? nil : configuration.watch(lanes.file.descriptor) { answer.resolve(.success(())) }
    defer { if let watch { end(watch, of: lanes) } }
    // This finds changes from before the watch began; the watch reports later ones.
    if let version = FileSnapshot.of(source)?.version, hasChanged(version, try await status(of: lanes), lanes) {
      return
    }
    guard watch != nil || lanes.isRemote else {
      throw ReadError(
        .resourcesExhausted, "the system has no more watches: check the file from time to time", isTransient: true,
        context: lanes.file.context(0..<0))
    }
    try await waiting.wait(for: answer)
  }

  /// Ends `watch`. The descriptor of `lanes` stays open until the system does not use it any more.
  private func end(_ watch: FileWatch, of lanes: FileLanes) {
    gate.enterAgain()
    watch.end { [gate] in withExtendedLifetime(lanes) { gate.leave() } }
  }
}
