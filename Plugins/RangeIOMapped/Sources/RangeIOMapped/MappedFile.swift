internal import CRangeIOMapped
internal import RangeIO
internal import Synchronization
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An open file and its present mapping.
final class MappedFile: Sendable {
  private struct State {
    var mapping: Mapping?
    /// How new mappings are to be read.
    var advice: rim_advice
    /// What the file was when it was opened, until that has been told.
    var statusAtOpening: rim_status?
    /// The threads of its server, if it is on one.
    var server: DiskQueues?
    var isClosed = false
  }

  /// How often a file is opened that has lost its name meanwhile. One of which the path speaks by its descriptor, as
  /// `/dev/fd` does, may have none.
  private static let mostOpenings = 8

  let descriptor: CInt
  let calls: MappedCalls
  /// Whether a server may be asked what the file is: then threads of our own look at it, and bring its pages in.
  let isRemote: Bool
  /// What its file system calls itself: of images that are mounted in turn nothing else may tell.
  let fileSystem: UInt64
  /// The path that it was opened by: absolute, if the current directory had a name then.
  let path: FilePath
  /// For errors: the path as it was given.
  let name: String
  /// Off once the kernel has said that it cannot populate: before Linux 5.14, and on Apple platforms.
  let canPopulate = Atomic<Bool>(true)
  private let state: Guarded<State>
  /// The version that was described last; `nil` until the file has been opened.
  let sighting = Guarded<MappedSighting?>(nil)

  /// Opens the file at `path`. May wait for a disk or a server.
  ///
  /// One that lost its name while it was opened is opened again: another may have it. So is a relative path if the process
  /// changed its directory meanwhile.
  ///
  /// - Throws: `ReadError`, for what is no regular file as well.
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

  /// `path` as it is when it starts from the current directory; `path` itself if that has no name. Resolves no symbolic links.
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
      throw ReadError.errno(Errno(rawValue: -result), "open the file", .init(source: name))
    }
    let file = MappedFile(result, absolute, name: name, access, calls)
    // The name first: one that goes after that shows.
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

  /// Closes the descriptor, and releases the mapping: slices keep it. To be called when nothing is under way, or never.
  func close() { takeClosing()() }

  /// As ``close()``, where that may wait for a server.
  func closed() async {
    let closes = takeClosing()
    guard isRemote else { return closes() }
    // `try?`: there is nothing that it throws.
    try? await queues.run { closes() }
  }

  /// What is to be done to close it, which is nothing after the first time.
  private func takeClosing() -> @Sendable () -> Void {
    let (isFirst, mapping) = state.withLock { state -> (Bool, Mapping?) in
      defer { (state.isClosed, state.mapping) = (true, nil) }
      return (!state.isClosed, state.mapping)
    }
    // Unmapped here, outside of the lock, if nobody shows it any more.
    return { [calls, descriptor] in withExtendedLifetime(mapping) { if isFirst { _ = calls.close(descriptor) } } }
  }

  /// The threads that wait for its disk or its server.
  var queues: DiskQueues { isRemote ? state.withLock { $0.server } ?? .opening : .shared }

  /// The threads that follow its path.
  var pathQueues: DiskQueues { isRemote ? queues : .paths }

  /// Where a read is, for errors.
  func context(_ range: ByteRange = 0..<0) -> ReadError.Context {
    .init(source: name, offset: range.lowerBound, count: range.count)
  }

  /// Does `work`, which asks the file's system something: on a thread of our own where a server may have to answer.
  func ask<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    isRemote ? try await queues.run(work) : try work()
  }

  /// What the file is now. May wait for a server, if ``isRemote``.
  func status() throws -> rim_status {
    var status = rim_status()
    let result = calls.status(descriptor, &status)
    guard result >= 0 else { throw ReadError.errno(Errno(rawValue: -result), "look at the file", context()) }
    return status
  }

  /// Whether `status` is of this file.
  func isOf(_ status: rim_status) -> Bool {
    sighting.withLock { $0?.version.device == status.device && $0?.version.inode == status.inode }
  }

  /// What the file was when it was opened.
  var statusAtOpening: rim_status? { state.withLock { $0.statusAtOpening } }

  /// What the file was when it was opened: a first look, under its name. Once.
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
    throw ReadError(.unsupportedSource, refusal, context: context())
  }

  /// Whether there is something in a file that says that it is empty.
  private var holdsBytes: Bool {
    withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { calls.read(descriptor, $0, 0) > 0 }
  }
}

// MARK: mapping

extension MappedFile {
  /// The mapping, of `end` bytes at least: the present one, or a new one of a file that has `count` bytes now.
  func mapping(covering end: Int, of count: Int) throws -> Mapping {
    if let mapping = state.withLock({ $0.mapping }), mapping.count >= end { return mapping }
    let new: Mapping
    do {
      new = try Mapping(descriptor, count: count, calls)
    } catch {
      throw explained(error)
    }
    // Of two who map at once the longer one stays; the other goes with its slices.
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
        .unsupportedSource, "this file system cannot map its files: read it with FileSource", context: context(),
        cause: errno)
    case .noMemory:
      return ReadError(
        .resourcesExhausted,
        "there is no room in the address space, or there are too many mappings (vm.max_map_count): let go of slices, "
          + "raise the limit, or read it with FileSource", isTransient: true, context: context(), cause: errno)
    default: return .errno(errno, "map the file", context())
    }
  }
}

extension MappedSource.AccessPattern {
  /// What holds for the whole file, and for what it grows by.
  var lasting: rim_advice? {
    switch self {
    case .normal: rim_normal
    case .random: rim_random
    case .sequential: rim_sequential
    case .willNeed: nil
    }
  }
}
