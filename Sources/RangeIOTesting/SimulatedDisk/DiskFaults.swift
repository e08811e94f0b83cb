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
