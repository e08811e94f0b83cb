package import SystemPackage

/// Decides which calls to a simulated disk fail, and how.
package struct DiskFaults: Sendable {
  package typealias Plan = @Sendable (DiskCall) -> DiskFault?

  let plan: Plan?

  /// The faults that `plan` decides. It is called outside of all locks.
  package init(_ plan: @escaping Plan) { self.plan = plan }

  private init() { plan = nil }

  /// No faults.
  package static let none = DiskFaults()

  /// A fault in call number `number` of `kind`, counted from zero.
  package static func on(_ kind: DiskCall.Kind, number: Int, _ fault: DiskFault) -> DiskFaults {
    DiskFaults { $0.kind == kind && $0.number == number ? fault : nil }
  }

  /// A fault in every call of `kind`.
  package static func always(_ kind: DiskCall.Kind, _ fault: DiskFault) -> DiskFaults {
    DiskFaults { $0.kind == kind ? fault : nil }
  }

  /// The process dies at call number `position` of any kind, counted from zero.
  ///
  /// - Parameter written: the share of a write that is written nevertheless.
  package static func crash(at position: Int, written: Double = 0) -> DiskFaults {
    DiskFaults { $0.position == position ? .crash(after: Int(Double($0.byteCount) * written)) : nil }
  }

  /// A fault in each call of `kinds` with this `probability`. The seed decides which: the same calls, no matter from
  /// which thread.
  package static func sometimes(
    _ probability: Double, of kinds: Set<DiskCall.Kind>, seed: UInt64,
    _ fault: @escaping @Sendable (DiskCall, inout SeededGenerator) -> DiskFault
  ) -> DiskFaults {
    DiskFaults { call in
      guard kinds.contains(call.kind) else { return nil }
      let number = UInt64(call.number) << 8 | UInt64(call.kind.rawValue)
      var random = SeededGenerator(seed: SeededGenerator.mix(seed) ^ SeededGenerator.mix(number))
      return Double.random(in: 0..<1, using: &random) < probability ? fault(call, &random) : nil
    }
  }

  /// The fault of this plan, or if there is none, the fault of `other`.
  package func or(_ other: DiskFaults) -> DiskFaults {
    DiskFaults { self.plan?($0) ?? other.plan?($0) }
  }
}

/// A call to a simulated disk, as seen by the code that decides on faults.
package struct DiskCall: Sendable {
  package enum Kind: Int, CaseIterable, Sendable {
    case read, readResident, write, beginWriting, allocate, truncate, sync, lock, unlock
    case create, open, remove, rename, makeDirectory, openDirectory, removeDirectory, names, syncDirectory
    case status, setMode, freeByteCount

    /// `true` for a call that changes the contents of the disk, or which of them are durable.
    package var isChange: Bool {
      switch self {
      case .write, .allocate, .truncate, .sync, .create, .remove, .rename, .makeDirectory, .removeDirectory,
        .syncDirectory, .setMode:
        true
      default: false
      }
    }
  }

  package var kind: Kind
  /// The name with which the file or directory was opened, or the name it will get; for a directory created by its
  /// path, the last component.
  package var name: String
  package var offset = 0
  package var byteCount = 0
  /// The number of earlier calls of this kind since the faults were set.
  package var number = 0
  /// The number of earlier calls of any kind since the faults were set.
  package var position = 0
}

/// A fault in a call.
package struct DiskFault: Sendable {
  package enum End: Sendable {
    /// The call succeeds.
    case success
    case error(Errno)
    /// The process dies.
    case crash
  }

  /// Runs first, on the calling thread and outside of all locks. It may block, or move a clock.
  package var delay: (@Sendable () -> Void)?
  package var end: End
  /// For a write that fails or crashes: how many bytes, from the start, are written nevertheless.
  package var written = 0

  /// The call does nothing and fails. After a failed sync, the next sync does not write its pages either, as on Linux:
  /// Rebello et al., "Can applications recover from fsync failures?", ATC 2020.
  package static func fail(_ errno: Errno) -> DiskFault { DiskFault(end: .error(errno)) }

  /// A write stops in the middle.
  package static func tear(after written: Int, _ errno: Errno = .ioError) -> DiskFault {
    DiskFault(end: .error(errno), written: written)
  }

  /// The process ends here, as with kill -9. A write has written `written` bytes.
  package static func crash(after written: Int = 0) -> DiskFault { DiskFault(end: .crash, written: written) }

  /// The call waits and then succeeds.
  package static func delay(_ delay: @escaping @Sendable () -> Void) -> DiskFault {
    DiskFault(delay: delay, end: .success)
  }
}
