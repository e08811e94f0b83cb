/// Decides which calls to a simulated disk go wrong, and how.
package struct DiskFaults: Sendable {
  package typealias Plan = @Sendable (DiskCall) -> DiskFault?

  let plan: Plan?

  /// What `plan` decides. It is called outside of all locks.
  package init(_ plan: @escaping Plan) { self.plan = plan }

  private init() { plan = nil }

  /// Nothing goes wrong.
  package static let none = DiskFaults()

  /// The call of `kind` with that number, from zero on.
  package static func on(_ kind: DiskCall.Kind, number: Int, _ fault: DiskFault) -> DiskFaults {
    DiskFaults { $0.kind == kind && $0.number == number ? fault : nil }
  }

  /// Every call of `kind`.
  package static func always(_ kind: DiskCall.Kind, _ fault: DiskFault) -> DiskFaults {
    DiskFaults { $0.kind == kind ? fault : nil }
  }

  /// The process ends at the call of any kind with that position, from zero on.
  ///
  /// - Parameter written: the share of a write that is there nevertheless.
  package static func crash(at position: Int, written: Double = 0) -> DiskFaults {
    DiskFaults { $0.position == position ? .crash(after: Int(Double($0.byteCount) * written)) : nil }
  }

  /// Each call of `kinds`, with `probability`, as `seed` decides: the same calls whichever thread they come from.
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

  /// What this one decides, or else `other`.
  package func or(_ other: DiskFaults) -> DiskFaults {
    DiskFaults { self.plan?($0) ?? other.plan?($0) }
  }
}
