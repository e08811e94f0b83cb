#if canImport(Darwin)
  import Dispatch

  /// Reports changes of open files, with a dispatch source.
  final class FileWatch: Sendable {
    // The dispatch source may be used from any thread, but is not marked so.
    private nonisolated(unsafe) let source: any DispatchSourceFileSystemObject
    /// Called when the system does not use the descriptor any more.
    private let released = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls `handler` when the file behind `descriptor`, or its name, changes; `nil` if the system has no watch
    /// available. The descriptor must stay open until the watch has let go of it.
    static func begin(_ descriptor: CInt, _ handler: @escaping @Sendable () -> Void) -> FileWatch? {
      FileWatch(descriptor, handler)
    }

    private init(_ descriptor: CInt, _ handler: @escaping @Sendable () -> Void) {
      source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke],
        queue: .global(qos: .utility))
      source.setEventHandler(handler: DispatchWorkItem(block: handler))
      // Keeps the watch until it has ended.
      source.setCancelHandler(
        handler: DispatchWorkItem { [self] in
          let call = released.withLock { $0.take() }
          call?()
        })
      source.activate()
    }

    /// Stops the watch: no new calls begin. Call it once.
    ///
    /// - Parameter released: called when the descriptor may be closed: soon. If it were closed before that, a watch of
    ///   the next file with its number could stay silent.
    func end(_ released: @escaping @Sendable () -> Void) {
      self.released.withLock { $0 = released }
      source.cancel()
    }
  }
#endif
