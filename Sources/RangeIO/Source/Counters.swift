/// Named counts: what a stage or a store's tier has done, or a source in one of its ways to read. All use the same form, so
/// that you can print, send and sum the counts without knowing what they are of. `Docs/Counters.md` lists the names that the
/// library's own have.
///
/// ```swift
/// Counters("CountingBytes", counts: ["reads": 3, "bytes": 4096])
/// ```
public struct Counters: Hashable, Sendable, Encodable {
  /// One count.
  package struct Count: Hashable, Sendable, Encodable {
    /// The name of the thing counted: `bytes read ahead`.
    package var name: String
    var value: Int

    /// Creates a count.
    package init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }
  }

  /// The name of the stage, of the tier of a store (`memory`, `compressed`, `disk`), or of a way to read (for files
  /// `resident`, `positional` or `dispatchIO`).
  public package(set) var name: String
  /// The counts, in the best order for reading.
  package var counts: [Count]
  /// Bytes that the stage had read from below and that no read returned.
  public package(set) var wastedBytes: Int

  /// Creates counts under `name`.
  ///
  /// - Parameters:
  ///   - name: what counted them: a stage, a tier, a way to read.
  ///   - counts: the counts by their names, in the best order for reading. No name comes twice.
  ///   - wastedBytes: bytes that the stage had read from below and that no read returned.
  public init(_ name: String, counts: KeyValuePairs<String, Int>, wastedBytes: Int = 0) {
    self.init(name, counts: counts.map { Count($0.key, $0.value) }, wastedBytes: wastedBytes)
  }

  init(_ name: String, counts: [Count], wastedBytes: Int = 0) {
    self.name = name
    self.counts = counts
    self.wastedBytes = wastedBytes
  }

  /// The names of the counts, in the best order for reading.
  public var names: [String] { counts.map(\.name) }

  /// The value of the count called `name`, or `nil`.
  public subscript(name: String) -> Int? { counts.first { $0.name == name }?.value }
}

extension Counters {
  /// Look-ups that found everything they asked for, if those are counted.
  public var hits: Int? { self["hits"] }
  /// Look-ups that found nothing, if those are counted.
  public var misses: Int? { self["misses"] }
  /// The bytes that a tier takes, or that were read, if they are counted.
  public var bytes: Int? { self["bytes"] }
  /// The number of bytes that a tier may take, if it has a limit.
  public var limit: Int? { self["limit"] }
}

/// Counts by their name.
extension [Counters] {
  /// Those called `name`: of a tier, or of one way to read.
  public subscript(name: String) -> Counters? { first { $0.name == name } }
}

extension Counters: CustomStringConvertible {
  /// One line for people, with the counts that are not zero.
  public var description: String {
    let told = counts.filter { $0.value != 0 }.map { "\($0.name) \($0.value)" }
    let waste = wastedBytes > 0 ? ["wasted bytes \(wastedBytes)"] : []
    return "\(name): " + (told.isEmpty && waste.isEmpty ? "nothing" : (told + waste).joined(separator: ", "))
  }
}

extension Counters {
  /// The counts of a stage, each under its name.
  ///
  /// - Parameters:
  ///   - names: of the counters from number zero on.
  ///   - wasted: the number of the counter of wasted bytes.
  init(_ stage: String, _ counters: borrowing Stripes, _ names: String..., wasted: Int? = nil) {
    var counts: [Count] = []
    for (number, name) in names.enumerated() { counts.append(Count(name, counters.sum(number))) }
    var wastedBytes = 0
    if let wasted { wastedBytes = counters.sum(wasted) }
    self.init(stage, counts: counts, wastedBytes: wastedBytes)
  }
}
