/// The counts of a store, and of what it holds, in fields, so that counting is one addition: a shard has one under its
/// lock. ``Counters`` are made of it when someone asks for them.
package protocol StoreCounts: Equatable, Sendable {
  /// All in which every value is zero.
  init()

  /// The fields, and the names under which ``Counters`` show them, in the best order for reading.
  static var named: KeyValuePairs<String, WritableKeyPath<Self, Int>> { get }
}

extension StoreCounts {
  /// Adds the counts of a shard. Fields that are measured, not counted, are zero in a shard.
  package mutating func add(_ counts: Self) {
    for (_, count) in Self.named { self[keyPath: count] += counts[keyPath: count] }
  }

  package func counters(_ name: String) -> Counters {
    Counters(name, counts: Self.named.map { .init($0.key, self[keyPath: $0.value]) })
  }
}
