#if HTTP
  internal import RangeIO

  /// The best mark of a version that an answer has shown, for all reads of that version in this process.
  ///
  /// Where marks are weak (a date, a weak tag), two versions may have the same description. Answers to GET may show what
  /// the description does not. So all that describe alike share one pin, whatever object or cache they belong to: bytes
  /// that were kept under it are met only by answers that were compared with it. When an answer contradicts it, the pin is
  /// over, and the next description gets a new one, which makes it another version.
  final class VersionPin: Sendable {
    private struct State {
      var best: ObjectVersion.Identifier
      var isOver = false
    }
    /// Differs for pins of versions that are described alike; 0 where the description tells versions apart.
    let generation: Int
    private let state: Locked<State>

    private init(_ version: ObjectVersion, generation: Int) {
      self.generation = generation
      state = Locked(State(best: version.identifier))
    }

    /// True once an answer has contradicted the pin.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// An answer has contradicted it.
    func end() { state.withLock { $0.isOver = true } }

    /// Runs a step of a machine, which may find a better mark.
    func withBest<Value>(_ body: (inout ObjectVersion.Identifier) -> Value) -> Value {
      state.withLock { body(&$0.best) }
    }

    // MARK: sharing

    private struct Key: Hashable {
      let id: ExactText
      let version: ObjectVersion
    }
    private struct Shared {
      weak var pin: VersionPin?
    }
    private struct All {
      var pins: [Key: Shared] = [:]
      var last = 0
      /// With so many, unused ones are removed.
      var sweepAt = 64
    }
    private static let all = Locked(All())

    /// The pin of a version of the object with `id`. Descriptions hold it, and so do caches.
    static func of(_ version: ObjectVersion, id: String) -> VersionPin {
      // Strong marks tell versions apart. Without any nothing does, so no two descriptions share what is kept.
      if version.identifier == .unknown || version.identifier.isStrong { return VersionPin(version, generation: 0) }
      let key = Key(id: ExactText(id), version: version)
      return all.withLock { all in
        if let known = all.pins[key]?.pin, !known.isOver { return known }
        if all.pins.count >= all.sweepAt {
          all.pins = all.pins.filter { $0.value.pin != nil }
          // Twice what is left: so sweeping costs a constant time for each.
          all.sweepAt = max(64, all.pins.count * 2)
        }
        all.last += 1
        let new = VersionPin(version, generation: all.last)
        all.pins[key] = Shared(pin: new)
        return new
      }
    }
  }
#endif
