#if Serve
  internal import RangeIO
  internal import RangeIOSupport

  /// The objects that are open, by their paths: the ones used last, up to a limit.
  ///
  /// An object is looked for once, however many requests need it at the same time. One that is asked for all the time is
  /// looked at shortly before the last look becomes too old, beside the requests, so that none of them waits for it. While
  /// its source cannot be asked, or is not heard of for as long as a look holds, the version known last goes on. One that
  /// is dropped closes with the last answer that reads from it. Objects that could not be found when they were opened are not
  /// asked for again for as long as a look holds. What the look itself does not find is: a file that comes is served at once.
  final class ObjectPool: Sendable {
    /// The result of a look.
    enum Found: Sendable {
      case object(OpenObject)
      case directory(ServedItem.Directory)
    }

    private struct Entry {
      let object: OpenObject
      /// The time for which the last look holds; `nil`: it is to be looked at again.
      var checked: LookTime?
      var lastUse: UInt64
    }
    private struct LookTime {
      /// From then on a request begins the next look, and does not wait for it.
      let isDue: ReadClock.Instant
      /// From then on requests wait for the next look.
      let isOver: ReadClock.Instant
    }
    private struct Absence {
      let error: ReadError
      let isOver: ReadClock.Instant
    }
    private struct State {
      var entries: [[ServedName]: Entry] = [:]
      /// The errors of names that do not exist. Kept apart from the objects, so that requests for invented names push none of
      /// them out.
      var absences: [[ServedName]: Absence] = [:]
      var clock: UInt64 = 0
      /// The times that all were closed. A look that began before keeps nothing.
      var closes = 0

      mutating func note(_ absence: Absence, at path: [ServedName], now: ReadClock.Instant) {
        guard path.reduce(0, { $0 + 64 + $1.bytes.count }) <= ObjectPool.maxAbsentPath else { return }
        if absences.count >= ObjectPool.maxAbsences { absences = absences.filter { now < $0.value.isOver } }
        if absences.count >= ObjectPool.maxAbsences { absences = [:] }
        absences[path] = absence
      }
    }

    /// A look waits no less than this.
    private static let minLook = Duration.seconds(1)
    private static let maxAbsences = 1024
    /// The most bytes that a path takes up which is noted as absent, so that all of them take up 4 MiB.
    private static let maxAbsentPath = 4096

    private let state = Locked(State())
    /// A look goes on without those who asked for it: the next ones need it, too.
    private let looks = SharedWork<[ServedName], Found>(outlivesWaiters: true)
    private let upstream: any ServedUpstream
    private let limit: Int
    private let places: ReaderPlaces
    private let time: ReadClock

    /// - Parameters:
    ///   - limit: the most objects that are kept open without being read.
    ///   - places: of all pools of a server.
    init(_ upstream: any ServedUpstream, limit: Int, in places: ReaderPlaces, time: ReadClock) {
      self.upstream = upstream
      self.limit = max(1, limit)
      self.places = places
      self.time = time
    }

    /// The directory at the path, of an upstream that need not look for it.
    func directory(at path: [ServedName]) -> ServedItem.Directory? { upstream.directory(at: path) }

    /// The object at the path, if it was looked for lately.
    func ready(_ path: [ServedName]) -> OpenObject? {
      let now = time.now
      let found = state.withLock { state -> (object: OpenObject, isDue: Bool)? in
        guard let entry = state.entries[path], let checked = entry.checked, now < checked.isOver,
          !entry.object.isOutdated
        else { return nil }
        state.clock += 1
        state.entries[path]?.lastUse = state.clock
        return (entry.object, now >= checked.isDue)
      }
      if found?.isDue == true { looks.start(path) { try await self.look(at: path) } }
      return found?.object
    }

    /// Finds what is at the path now.
    func find(_ path: [ServedName]) async throws -> Found {
      if let found = try lately(path) { return found }
      return try await looks.value(for: path) {
        // The look before may have ended since.
        if let found = try self.lately(path) { return found }
        return try await self.look(at: path)
      }
    }

    /// The result of the last look, if that still holds.
    private func lately(_ path: [ServedName]) throws -> Found? {
      if let object = ready(path) { return .object(object) }
      let now = time.now
      if let absence = state.withLock({ $0.absences[path] }), now < absence.isOver { throw absence.error }
      return nil
    }

    /// `true` if an object is at the path, which may be one that cannot be opened now.
    func isObject(_ path: [ServedName]) async -> Bool {
      // `try?`: where nothing is served, there is no object.
      if case .object = try? await upstream.look(at: path) { true } else { false }
    }

    /// The version was found to have changed: the next request looks for it again.
    func outdated(_ object: OpenObject, at path: [ServedName]) {
      state.withLock { state in
        guard state.entries[path]?.object === object else { return }
        state.entries[path]?.checked = nil
      }
    }

    /// The objects that are open.
    var count: Int { state.withLock { $0.entries.count } }

    /// The statistics of each open reader.
    var statistics: [RangeReader.Statistics] {
      let readers = state.withLock { $0.entries.values.map(\.object.reader) }
      return readers.map { $0.statistics() }
    }

    /// Closes all that are open.
    func close() async {
      let readers = state.withLock { state in
        defer { state.entries = [:] }
        state.closes += 1
        return state.entries.values.map(\.object.reader)
      }
      for reader in readers { await reader.close() }
    }

    private func look(at path: [ServedName]) async throws -> Found {
      let began = time.now
      let (known, closes) = state.withLock { ($0.entries[path]?.object, $0.closes) }
      do {
        let (found, isNew) = try await find(path, known)
        // What could not be asked is not asked again at once.
        let checked = lookTime(since: isNew ? began : time.now)
        // Dropped outside of the lock: releasing a reader closes a file.
        let dropped = state.withLock { state -> [OpenObject] in
          guard state.closes == closes else { return [] }
          let before = state.entries.removeValue(forKey: path).map { [$0.object] } ?? []
          guard case .object(let object) = found else { return before }
          state.clock += 1
          state.entries[path] = Entry(object: object, checked: checked, lastUse: state.clock)
          return before + Self.trim(&state, to: limit)
        }
        withExtendedLifetime(dropped) {}
        return found
      } catch {
        // What cannot be asked just now may be there again.
        if (error as? ReadError)?.isTransient != true {
          let dropped = state.withLock { $0.closes == closes ? $0.entries.removeValue(forKey: path) : nil }
          withExtendedLifetime(dropped) {}
        }
        throw error
      }
    }

    /// The time for which a look that `began` then and ends now holds. The next one is due a quarter of it before its end,
    /// or three times what this one took if that is longer, but not in its first half.
    private func lookTime(since began: ReadClock.Instant) -> LookTime {
      let over = began.advanced(by: upstream.freshness)
      let ahead = min(max(began.duration(to: time.now) * 3, upstream.freshness / 4), upstream.freshness / 2)
      return LookTime(isDue: over.advanced(by: .zero - ahead), isOver: over)
    }

    /// Finds what is at the path. `isNew`: `false` if that is what was known before, since its source cannot be asked.
    private func find(_ path: [ServedName], _ known: OpenObject?) async throws -> (Found, isNew: Bool) {
      let name = path.last?.description ?? ""
      switch try await upstream.look(at: path) {
      case .directory(let directory): return (.directory(directory), true)
      case .object(let item):
        if let known, known.identity == item.identity {
          let current = try await current(known, name)
          return (.object(current ?? known), current != nil)
        }
        let began = time.now
        let place = try place()
        let reader: RangeReader
        do { reader = try await item.open() } catch let error as ReadError where error.code == .notFound {
          let (absence, now) = (Absence(error: error, isOver: began.advanced(by: upstream.freshness)), time.now)
          state.withLock { $0.note(absence, at: path, now: now) }
          throw error
        }
        // The pool looks when an object is asked for. An object that is not asked for costs its server nothing.
        reader.stopWatching()
        let snapshot = reader.pinnedSnapshot
        return (
          .object(OpenObject(identity: item.identity, reader: reader, snapshot: snapshot, name: name, in: place)), true
        )
      }
    }

    /// A place for one more reader, if need be by giving up those that rest.
    private func place() throws(ReadError) -> ReaderPlaces.Place {
      if let place = places.take() { return place }
      do {
        // Released outside of the lock, and before the next line.
        let dropped = state.withLock { state in
          defer { state.entries = [:] }
          return state.entries
        }
        withExtendedLifetime(dropped) {}
      }
      if let place = places.take() { return place }
      throw ReadError(
        .resourcesExhausted,
        "as many files are read at a time as the limit of descriptors permits: try again, or raise it (ulimit -n)",
        isTransient: true)
    }

    /// The version of `known` that is current; `nil` if its source cannot be asked, or takes longer than a look holds.
    private func current(_ known: OpenObject, _ name: String) async throws -> OpenObject? {
      return try await withThrowingTaskGroup(of: OpenObject?.self) { group in
        group.addTask { try await known.current(name: name) }
        group.addTask { [time, upstream] in
          try await time.sleep(for: max(upstream.freshness, Self.minLook))
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
    }

    /// Drops the objects that were not used for longest.
    private static func trim(_ state: inout State, to limit: Int) -> [OpenObject] {
      var dropped: [OpenObject] = []
      // At most one is too many.
      while state.entries.count > limit, let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        state.entries[oldest.key] = nil
        dropped.append(oldest.value.object)
      }
      return dropped
    }
  }
#endif
