import RangeIO
import SystemPackage

/// A disk in memory that fails, tears writes, loses data and hangs as a test decides, and otherwise behaves like a real
/// one.
///
/// It has two states: what its processes see, and what is left after a power loss. Bytes reach the second state by
/// `sync()` of their file, names by `sync()` of their directory. When a process crashes, it loses only its open files
/// and their locks.
///
/// ```swift
/// let disk = SimulatedDisk(capacity: 1 << 20)
/// disk.faults = .on(.write, number: 3, .crash(after: 100))
/// use(disk.newProcess())          // dies in its fourth write
/// disk.losePower(seed: 7)
/// use(disk.newProcess())          // finds what is left
/// ```
package final class SimulatedDisk: Sendable {
  /// The result of `readResident`.
  package enum Residency: Sendable { case everything, nothing, unknown }

  struct State: Sendable {
    var root: DiskDirectory
    var pageCapacity: Int
    var pagesUsed = 0
    var residency = Residency.everything
    var faults = DiskFaults.none
    var counts = [Int](repeating: 0, count: DiskCall.Kind.allCases.count)
    var position = 0
    /// The values of ``counts`` and ``position`` when the faults were set.
    var countsBefore = [Int](repeating: 0, count: DiskCall.Kind.allCases.count)
    var positionBefore = 0
    /// The number of power losses so far. A process belongs to one life.
    var life = 0
    var nextHandle = 0

    var pagesLeft: Int { max(0, pageCapacity - pagesUsed) }
  }

  /// The user that the processes run as.
  package let user: UInt32
  let state: Locked<State>

  /// Creates an empty disk.
  ///
  /// - Parameter capacity: in bytes, for the 4 KiB pages of file contents; names need no space.
  package init(capacity: Int = 1 << 40, user: UInt32 = 1000) {
    self.user = user
    let root = DiskDirectory(owner: user, mode: 0o700)
    state = Locked(State(root: root, pageCapacity: capacity / DiskPages.pageSize))
  }

  init(user: UInt32, state: State) {
    self.user = user
    self.state = Locked(state)
  }

  /// Creates a process that uses the disk. Processes see each other's changes and locks.
  ///
  /// - Parameter descriptors: how many files it may have open at the same time.
  package func newProcess(descriptors: Int = .max) -> SimulatedProcess {
    SimulatedProcess(self, life: state.withLock { $0.life }, descriptors: descriptors)
  }

  /// The faults from now on. Setting this restarts the numbers of ``DiskCall`` at zero.
  package var faults: DiskFaults {
    get { state.withLock { $0.faults } }
    set {
      let replaced = state.withLock { state in
        defer { state.faults = newValue }
        state.countsBefore = state.counts
        state.positionBefore = state.position
        return state.faults
      }
      // Released outside of the lock: it may hold a file, and releasing the file takes the lock.
      withExtendedLifetime(replaced) {}
    }
  }

  package var residency: Residency {
    get { state.withLock { $0.residency } }
    set { state.withLock { $0.residency = newValue } }
  }

  /// In bytes. May be less than the allocated bytes.
  package var capacity: Int {
    get { state.withLock { $0.pageCapacity * DiskPages.pageSize } }
    set { state.withLock { $0.pageCapacity = newValue / DiskPages.pageSize } }
  }

  /// The bytes that files use, including removed files that are still open.
  package var allocatedByteCount: Int { state.withLock { $0.pagesUsed * DiskPages.pageSize } }

  /// The number of calls of `kind` since the disk was created, including failed ones.
  package func count(of kind: DiskCall.Kind) -> Int { state.withLock { $0.counts[kind.rawValue] } }

  /// The number of calls of all kinds since the disk was created.
  package var callCount: Int { state.withLock { $0.position } }

  /// Applies the fault that a call of `process` must have, or runs `body`.
  ///
  /// - Parameter failing: runs before the call fails.
  func perform<Result: Sendable>(
    _ call: DiskCall, by process: SimulatedProcess,
    failing: (inout State, DiskFault) -> Void = { _, _ in },
    _ body: (inout State) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    let fault = fault(of: call)
    fault?.delay?()
    return try state.withLock { (state: inout sending State) throws(Errno) -> Result in
      guard process.isAlive(in: state) else { throw .badFileDescriptor }
      guard let fault else { return try body(&state) }
      switch fault.end {
      case .success: return try body(&state)
      case .error(let errno):
        failing(&state, fault)
        throw errno
      case .crash:
        failing(&state, fault)
        process.die(&state)
        throw .badFileDescriptor
      }
    }
  }

  private func fault(of call: DiskCall) -> DiskFault? {
    let kind = call.kind.rawValue
    let (plan, number, position) = state.withLock { state in
      defer {
        state.counts[kind] += 1
        state.position += 1
      }
      return (state.faults.plan, state.counts[kind] - state.countsBefore[kind], state.position - state.positionBefore)
    }
    guard let plan else { return nil }
    var call = call
    call.number = number
    call.position = position
    return plan(call)
  }
}

extension SimulatedDisk.State {
  /// The components of `path`, from the root on. A relative path also starts at the root.
  static func names(of path: FilePath) -> [String] {
    // Does not use `path.components`, where each component takes 50 µs in debug builds.
    path.withPlatformString { String(cString: $0) }.split(separator: "/").map(String.init)
  }

  func node(_ names: [String]) throws(Errno) -> DiskNode {
    var node: DiskNode = root
    for name in names { node = try directory(node).entry(name) }
    return node
  }

  func directory(_ node: DiskNode) throws(Errno) -> DiskDirectory {
    guard let directory = node as? DiskDirectory else { throw .notDirectory }
    return directory
  }

  /// Call this when a node has lost its name, or a file a handle: a file that cannot be reached uses no space.
  mutating func release(_ node: DiskNode) {
    guard let file = node as? DiskFile, !file.isLinked, file.handles.isEmpty else { return }
    pagesUsed -= file.seen.allocated
  }

  /// Runs `change`, and updates the number of used pages.
  mutating func changing<Result, E: Error>(_ file: DiskFile, _ change: (DiskFile) throws(E) -> Result) throws(E)
    -> Result
  {
    let before = file.seen.allocated
    defer { pagesUsed += file.seen.allocated - before }
    return try change(file)
  }
}
