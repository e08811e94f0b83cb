internal import CRangeIOMapped
internal import RangeIO
internal import Synchronization
internal import SystemPackage

/// An open file and its current mapping.
final class MappedFile: Sendable {
  private struct State {
    var mapping: Mapping?
    /// How new mappings will be read.
    var advice: rim_advice
    /// The status of the file when it was opened, until it has been reported.
    var statusAtOpening: rim_status?
    /// The threads for its server, if it is on one.
    var server: DiskQueues?
    var isClosed = false
  }

  /// How often to open a file again that lost its name in between. A file whose path is a descriptor, as in `/dev/fd`,
  /// may have no name at all.
  private static let mostOpenings = 8

  let descriptor: CInt
  let calls: MappedCalls
  /// Whether a status call may have to wait for a server. If so, the plugin's own threads check the file and load its
  /// pages.
  let isRemote: Bool
  /// The id of the file system. When images are mounted one after the other, nothing else may tell them apart.
  let fileSystem: UInt64
  /// The path with which it was opened: absolute, if the current directory had a name then.
  let path: FilePath
  /// The path as the caller gave it, for errors.
  let name: String
  /// `false` once the kernel has reported that it cannot populate pages: before Linux 5.14, and on Apple platforms.
  let canPopulate = Atomic<Bool>(true)
  private let state: Guarded<State>
  /// The version that was described last; `nil` until the file has been opened.
  let sighting = Guarded<MappedSighting?>(nil)

  /// Opens the file at `path`. May wait for a disk or a server.
  ///
  /// If the file lost its name during the opening, it is opened again, because another file may now have the name. The
  /// same holds for a relative path if the process changed its directory in between.
  ///
  /// - Throws: `ReadError`, also if the file is not a regular file.
  static func open(
    _ path: FilePath, name: String? = nil, _ access: MappedSource.AccessPattern, _ calls: MappedCalls
  ) throws -> MappedFile {
    let name = name ?? path.string
    for _ in 1..<mostOpenings {
      let absolute = absolute(path)
      let file = try openOnce(path, absolute, name, access, calls)
      let hasName = file.statusAtOpening.map { $0.links > 0 } ?? true
      if hasName, Self.absolute(path) == absolute { return file }
      file.close()
    }
    let absolute = absolute(path)
    return try openOnce(absolute, absolute, name, access, calls)
  }

  /// `path` made absolute with the current directory; `path` itself if the directory has no name. Resolves no symbolic
  /// links.
  private static func absolute(_ path: FilePath) -> FilePath {
    guard path.isRelative, !path.isEmpty, let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return FilePath(platformString: directory).pushing(path)
  }

  private static func openOnce(
    _ path: FilePath, _ absolute: FilePath, _ name: String, _ access: MappedSource.AccessPattern, _ calls: MappedCalls
  ) throws -> MappedFile {
    let result = path.withPlatformString { rim_open($0) }
    guard result >= 0 else {
      throw ReadError.errno(Errno(rawValue: -result), "open the file", source: name)
    }
    let file = MappedFile(result, absolute, name: name, access, calls)
    // Reads the name first: if the name is lost after that, the status shows it.
    let nameNow = calls.name(result)
    let status = try file.status()
    try file.refuseWhatCannotBeMapped(status)
    file.state.withLock { state in
      state.statusAtOpening = status
      if file.isRemote { state.server = .server(status.device) }
    }
    file.sighting.withLock { $0 = MappedSighting(status, name: nameNow) }
    return file
  }

  private init(
    _ descriptor: CInt, _ path: FilePath, name: String, _ access: MappedSource.AccessPattern, _ calls: MappedCalls
  ) {
    self.descriptor = descriptor
    self.path = path
    self.name = name
    self.calls = calls
    isRemote = calls.isRemote(descriptor)
    fileSystem = rim_filesystem_id(descriptor)
    state = Guarded(State(advice: access.lasting ?? rim_normal))
  }

  deinit {
    let queues = queues
    let closes = takeClosing()
    guard isRemote else { return closes() }
    queues.submit(closes)
  }

  /// Closes the descriptor and releases the mapping; slices keep the mapping alive. Call this only when nothing is
  /// running.
  func close() { takeClosing()() }

  /// Like ``close()``, for a file whose closing may wait for a server.
  func closed() async {
    let closes = takeClosing()
    guard isRemote else { return closes() }
    // `try?`: the closure cannot throw.
    try? await queues.run { closes() }
  }

  /// The work that closes the file. After the first call it does nothing.
  private func takeClosing() -> @Sendable () -> Void {
    let (isFirst, mapping) = state.withLock { state -> (Bool, Mapping?) in
      defer { (state.isClosed, state.mapping) = (true, nil) }
      return (!state.isClosed, state.mapping)
    }
    // If no slice uses the mapping any more, it is unmapped here, outside of the lock.
    return { [calls, descriptor] in withExtendedLifetime(mapping) { if isFirst { _ = calls.close(descriptor) } } }
  }

  /// The threads that wait for its disk or server.
  var queues: DiskQueues { isRemote ? state.withLock { $0.server } ?? .opening : .shared }

  /// The threads for work with its path.
  var pathQueues: DiskQueues { isRemote ? queues : .paths }

  /// Runs `work`, which asks the file system something. If a server may have to answer, runs it on the plugin's own
  /// threads.
  func ask<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    isRemote ? try await queues.run(work) : try work()
  }

  /// The current status of the file. May wait for a server if ``isRemote``.
  func status() throws -> rim_status {
    var status = rim_status()
    let result = calls.status(descriptor, &status)
    guard result >= 0 else { throw ReadError.errno(Errno(rawValue: -result), "look at the file", source: name) }
    return status
  }

  /// Whether `status` belongs to this file.
  func isOf(_ status: rim_status) -> Bool {
    sighting.withLock { $0?.version.device == status.device && $0?.version.inode == status.inode }
  }

  /// The status of the file when it was opened.
  var statusAtOpening: rim_status? { state.withLock { $0.statusAtOpening } }

  /// The status of the file when it was opened, which saves the first check. Returns it only once.
  func takeStatusAtOpening() -> rim_status? { state.withLock { $0.statusAtOpening.take() } }

  private func refuseWhatCannotBeMapped(_ status: rim_status) throws {
    let refusal: String
    if status.is_directory {
      refusal = "this is a directory: name a file in it"
    } else if status.is_fifo {
      refusal = "this is a FIFO, which can be read only once and in order: copy it to a file first"
    } else if !status.is_regular {
      refusal = "this is no regular file: only those can be mapped"
    } else if status.size == 0, holdsBytes {
      refusal = "the kernel makes this file up as it is read, so it has no size and no stable bytes: copy it first"
    } else {
      return
    }
    throw ReadError(.unsupportedSource, refusal, source: name)
  }

  /// Whether a file that reports size zero contains bytes.
  private var holdsBytes: Bool {
    withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { calls.read(descriptor, $0, 0) > 0 }
  }
}

// MARK: mapping

extension MappedFile {
  /// A mapping of at least `end` bytes: the current one, or a new one of the `count` bytes that the file has now.
  func mapping(covering end: Int, of count: Int) throws -> Mapping {
    if let mapping = state.withLock({ $0.mapping }), mapping.count >= end { return mapping }
    let new: Mapping
    do {
      new = try Mapping(descriptor, count: count, calls)
    } catch {
      throw explained(error)
    }
    // If two callers map at the same time, the longer mapping is kept; the other one lives until its slices are
    // released.
    let (advice, old) = state.withLock { state -> (rim_advice, Mapping?) in
      let old = state.mapping
      if !state.isClosed, old.map({ $0.count < count }) ?? true { state.mapping = new }
      return (state.advice, old)
    }
    withExtendedLifetime(old) { if advice != rim_normal { new.advise(advice, 0..<count) } }
    return new
  }

  /// Tells the kernel how the file will be read, now and after it has grown.
  func advise(_ pattern: MappedSource.AccessPattern) {
    let mapping = state.withLock { state -> Mapping? in
      if let lasting = pattern.lasting { state.advice = lasting }
      return state.mapping
    }
    guard let mapping else { return }
    switch pattern {
    case .willNeed(let range): mapping.advise(rim_will_need, range)
    case .normal, .random, .sequential: mapping.advise(pattern.lasting ?? rim_normal, 0..<mapping.count)
    }
  }

  private func explained(_ failure: MappingFailure) -> ReadError {
    let errno = Errno(rawValue: failure.number)
    switch errno {
    case .operationNotSupportedByDevice, .permissionDenied, .badAddress, .notSupported, .invalidArgument:
      return ReadError(
        .unsupportedSource, "this file system cannot map its files: read it with FileSource", source: name,
        cause: errno)
    case .noMemory:
      return ReadError(
        .resourcesExhausted,
        "there is no room in the address space, or there are too many mappings (vm.max_map_count): release slices, "
          + "raise the limit, or read it with FileSource", isTransient: true, source: name, cause: errno)
    default: return .errno(errno, "map the file", source: name)
    }
  }
}

extension MappedSource.AccessPattern {
  /// The part of the advice that applies to the whole file, including what is appended later.
  var lasting: rim_advice? {
    switch self {
    case .normal: rim_normal
    case .random: rim_random
    case .sequential: rim_sequential
    case .willNeed: nil
    }
  }
}
