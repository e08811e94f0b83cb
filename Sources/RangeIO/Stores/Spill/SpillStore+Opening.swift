extension SpillStore {
  /// Opens a store, with what an earlier process has left in the directory.
  ///
  /// - Throws: `ReadError` with a code that says what to do: ``ReadError/Code/inUse`` if another process has the
  ///   directory; ``ReadError/Code/unsupportedFormat`` if another version of this library has made it;
  ///   ``ReadError/Code/permissionDenied`` if it does not belong to the user, or is open to others;
  ///   ``ReadError/Code/invalidConfiguration`` if it contains other files, or the codec has the id of one of this
  ///   library's codecs; ``ReadError/Code/limitExceeded`` if the limit is too small for anything; and errors from the
  ///   system.
  /// - Complexity: reads the lists in the files, 40 bytes per block; after a crash also one whole file.
  package static func open(_ configuration: Configuration) async throws -> SpillStore {
    try await open(configuration, sources: ChunkSources())
  }

  /// Opens a store that shares `sources` with other stores, to be combined with them.
  package static func open(_ configuration: Configuration, sources: ChunkSources) async throws -> SpillStore {
    try check(configuration)
    let disk = configuration.disk ?? SystemDisk()
    let lanes = DiskLanes(configuration.work)
    let answer = Promise<SpillStore>()
    let end = Promise<Void>()
    lanes.reads.start(isUrgent: true) {
      defer { end.resolve(.success(())) }
      guard !answer.isAnswered else { return }
      let result = Result { () throws -> SpillStore in
        let folder = try SpillFolder.open(configuration, on: disk)
        return try SpillOpening(configuration, disk, folder, lanes).open(sources) { !answer.isAnswered }
      }
      // Cancelled in between.
      if !answer.resolve(result), case .success(let store) = result { store.giveUp() }
    }
    do {
      return try await answer.value()
    } catch let error as CancellationError {
      await waitForEnd(end, configuration)
      throw error
    }
  }

  /// Waits until a directory whose opening was cancelled is no longer in use, so that it can be opened again. Does not
  /// wait for a disk that hangs.
  private static func waitForEnd(_ end: Promise<Void>, _ configuration: Configuration) async {
    let timer = configuration.background.startElsewhere {
      guard (try? await configuration.time.sleep(for: configuration.breaker.stall)) != nil else { return }
      end.fail(CancellationError())
    }
    // In its own task, since this one is cancelled.
    await configuration.background.startElsewhere { _ = try? await end.value() }.value
    timer.cancel()
  }

  /// Releases the lock: the store will not be used.
  private func giveUp() {
    state.withLock { ($0.isClosed, $0.isGivenUp) = (true, true) }
    writer.unlock()
  }

  /// Throws if the limits cannot work.
  private static func check(_ configuration: Configuration) throws(ReadError) {
    let size = configuration.segmentBytes
    let smallest = 8 << 10
    guard size >= smallest, size <= SpillFormat.largestSegment else {
      throw ReadError(
        .limitExceeded,
        "a file of \(size) bytes can never hold a block: choose a limit of at least 64 KiB, and files of 8 KiB to 16 GiB",
        context: .init(source: configuration.directory))
    }
    guard configuration.limit.bytes >= size * 2 + fixedBytes else {
      throw ReadError(
        .limitExceeded,
        "the limit of \(configuration.limit.bytes) bytes leaves no room for two files of \(size): choose a limit of at "
          + "least \(size * 2 + fixedBytes)", context: .init(source: configuration.directory))
    }
    guard configuration.codec.id <= 1 || configuration.codec.id >= 128 else {
      throw ReadError(
        .invalidConfiguration, "codec ids 2 to 127 are this library's: give the codec one of 128 to 255",
        context: .init(source: configuration.directory))
    }
  }
}
