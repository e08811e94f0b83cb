import Synchronization

@testable import RangeIO

/// The kernel's calls, with every descriptor counted that they open and close: other tests run beside this one, so the
/// process's own count tells nothing.
final class CountedDescriptors: Sendable {
  private let opened = Locked<Set<CInt>>([])
  private let faults = Atomic<Int>(0)
  private let closings = AwaitedCount()

  /// Descriptors that are open.
  var open: Int { opened.withLock { $0.count } }
  /// Closes of what was not open.
  var wrongCloses: Int { faults.load(ordering: .relaxed) }

  /// Waits until so many have been closed in all, and none is open.
  func closed(_ count: Int) async {
    await closings.reaches(count)
    while true {
      // Before the look: each that is open then is still to be counted.
      let before = closings.now
      guard open > 0 else { return }
      await closings.reaches(before + 1)
    }
  }

  /// The calls to hand to a source. `opening` runs before each opening.
  func syscalls(
    opening: @escaping @Sendable () -> Void = {}, read: @escaping Syscalls.Read = Syscalls.system.call.read,
    readResident: @escaping Syscalls.Read = Syscalls.system.call.readResident
  ) -> Syscalls {
    Syscalls(
      .init(
        open: { path in
          opening()
          return self.note(Syscalls.system.call.open(path))
        },
        reopen: { self.note(Syscalls.system.call.reopen($0)) },
        reopenDirect: { self.note(Syscalls.system.call.reopenDirect($0)) },
        close: { descriptor in
          // Forgotten before it is closed: another thread may get the number at once.
          if self.opened.withLock({ $0.remove(descriptor) }) == nil { self.faults.wrappingAdd(1, ordering: .relaxed) }
          defer { self.closings.add() }
          return Syscalls.system.call.close(descriptor)
        },
        read: read, readResident: readResident))
  }

  private func note(_ result: Int) -> Int {
    if result >= 0 { opened.withLock { _ = $0.insert(CInt(result)) } }
    return result
  }
}
