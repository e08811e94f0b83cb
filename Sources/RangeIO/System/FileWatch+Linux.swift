#if !canImport(Darwin)
  import CRangeIOSystem
  import Dispatch

  /// Reports changes of open files, with inotify.
  final class FileWatch: Sendable {
    private let watch: CInt
    private let number: Int

    /// Calls `handler` when the file behind `descriptor`, or its name, changes; `nil` if the system has no watch
    /// available. The descriptor must stay open until the watch has let go of it.
    static func begin(_ descriptor: CInt, _ handler: @escaping @Sendable () -> Void) -> FileWatch? {
      FileWatches.shared?.add(descriptor, handler).map { FileWatch(watch: $0, number: $1) }
    }

    private init(watch: CInt, number: Int) {
      self.watch = watch
      self.number = number
    }

    /// Stops the watch: no new calls begin. Call it once.
    ///
    /// - Parameter released: called when the descriptor may be closed: at once.
    func end(_ released: @Sendable () -> Void) {
      FileWatches.shared?.remove(watch, number)
      released()
    }
  }

  /// The only inotify descriptor of the process: a user has 128 of them, and many files to watch.
  private final class FileWatches: @unchecked Sendable {
    // Unchecked because of the dispatch source, which may be used from any thread, but is not marked so.
    static var shared: FileWatches? { made.get { FileWatches() } }
    private static let made = RetriedLazy<FileWatches>()

    private struct State {
      /// By the system's number of the watch: one for each file, however many waiters it has.
      var handlers: [CInt: [Int: @Sendable () -> Void]] = [:]
      var lastNumber = 0
    }
    private let descriptor: CInt
    private let state = Locked(State())
    private let source: any DispatchSourceRead

    private init?() {
      descriptor = rio_watches_open()
      guard descriptor >= 0 else { return nil }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
      source.setEventHandler { [weak self] in self?.news() }
      source.activate()
    }

    func add(_ file: CInt, _ handler: @escaping @Sendable () -> Void) -> (watch: CInt, number: Int)? {
      // Under the lock: the last waiter for a file may be leaving.
      state.withLock { state in
        let watch = rio_watches_add(descriptor, file)
        guard watch >= 0 else { return nil }
        state.lastNumber += 1
        state.handlers[watch, default: [:]][state.lastNumber] = handler
        return (watch, state.lastNumber)
      }
    }

    func remove(_ watch: CInt, _ number: Int) {
      state.withLock { state in
        state.handlers[watch]?[number] = nil
        guard state.handlers[watch]?.isEmpty == true else { return }
        state.handlers[watch] = nil
        rio_watches_remove(descriptor, watch)
      }
    }

    private func news() {
      let changed = withUnsafeTemporaryAllocation(of: CInt.self, capacity: 1024) { buffer in
        Array(buffer[..<Int(rio_watches_read(descriptor, buffer.baseAddress, CInt(buffer.count)))])
      }
      let handlers = state.withLock { state in
        // Events were lost: every waiter must check.
        if changed.contains(-1) { return state.handlers.values.flatMap { $0.values } }
        return Set(changed).flatMap { state.handlers[$0].map { Array($0.values) } ?? [] }
      }
      for handler in handlers { handler() }
    }
  }
#endif
