import RangeIO
import SystemPackage

/// A disk in memory that fails, tears, forgets and hangs as a test says, and otherwise does what a real one does.
///
/// It has two images: what its processes see, and what is left when the power goes. Bytes enter the second one by
/// `sync()` of their file, names by `sync()` of their directory. A crash of a process costs its open files and their
/// locks only.
///
/// ```swift
/// let disk = SimulatedDisk(capacity: 1 << 20)
/// disk.faults = .on(.write, number: 3, .crash(after: 100))
/// use(disk.newProcess())          // dies in its fourth write
/// disk.losePower(seed: 7)
/// use(disk.newProcess())          // finds what is left
/// ```
package final class SimulatedDisk: Sendable {
  /// What `readResident` answers.
  package enum Residency: Sendable { case everything, nothing, unknown }

  struct State: Sendable {
    var root: DiskDirectory
    var pageCapacity: Int
    var pagesUsed = 0
    var residency = Residency.everything
    var faults = DiskFaults.none
    var counts = [Int](repeating: 0, count: DiskCall.Kind.allCases.count)
    var position = 0
    /// ``counts`` and ``position`` when the faults were set.
    var countsBefore = [Int](repeating: 0, count: DiskCall.Kind.allCases.count)
    var positionBefore = 0
    /// How often the power went. Processes are of one life.
    var life = 0
    var nextHandle = 0

    var pagesLeft: Int { max(0, pageCapacity - pagesUsed) }
  }

  /// Whom the processes run as.
  package let user: UInt32
  let state: Locked<State>

  /// An empty disk.
  ///
  /// - Parameter capacity: in bytes, for pages of 4 KiB that hold the contents of files; names take none.
  package init(capacity: Int = 1 << 40, user: UInt32 = 1000) {
    self.user = user
    let root = DiskDirectory(owner: user, mode: 0o700)
    state = Locked(State(root: root, pageCapacity: capacity / DiskPages.pageSize))
  }

  init(user: UInt32, state: State) {
    self.user = user
    self.state = Locked(state)
  }

  /// A process that uses the disk. Processes see each other's changes and locks.
  ///
  /// - Parameter descriptors: the files that it may have open at once.
  package func newProcess(descriptors: Int = .max) -> SimulatedProcess {
    SimulatedProcess(self, life: state.withLock { $0.life }, descriptors: descriptors)
  }

  /// What goes wrong from now on. Setting it starts the numbers of ``DiskCall`` at zero.
  package var faults: DiskFaults {
    get { state.withLock { $0.faults } }
    set {
      let replaced = state.withLock { state in
        defer { state.faults = newValue }
        state.countsBefore = state.counts
        state.positionBefore = state.position
        return state.faults
      }
      // Released out here: it may hold a file, whose end takes the lock.
      withExtendedLifetime(replaced) {}
    }
  }

  package var residency: Residency {
    get { state.withLock { $0.residency } }
    set { state.withLock { $0.residency = newValue } }
  }

  /// In bytes. May be less than what is allocated.
  package var capacity: Int {
    get { state.withLock { $0.pageCapacity * DiskPages.pageSize } }
    set { state.withLock { $0.pageCapacity = newValue / DiskPages.pageSize } }
  }

  /// What files take, the removed ones that are open among them.
  package var allocatedByteCount: Int { state.withLock { $0.pagesUsed * DiskPages.pageSize } }

  /// Calls of `kind` since the disk was made, those that failed among them.
  package func count(of kind: DiskCall.Kind) -> Int { state.withLock { $0.counts[kind.rawValue] } }

  /// Calls of all kinds since the disk was made.
  package var callCount: Int { state.withLock { $0.position } }

  /// Does what is to go wrong with a call of `process`, or else `body`.
  ///
  /// - Parameter failing: what is done before it goes wrong.
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
  /// The names of `path`, from the root on, wherever it starts.
  static func names(of path: FilePath) -> [String] {
    // Not by its components, which take 50 µs each in debug builds.
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

  /// To be called when a node has lost its name, or a file a handle: what cannot be reached takes no room.
  mutating func release(_ node: DiskNode) {
    guard let file = node as? DiskFile, !file.isLinked, file.handles.isEmpty else { return }
    pagesUsed -= file.seen.allocated
  }

  /// Runs `change`, and counts the pages that `file` takes more or less after it.
  mutating func changing<Result, E: Error>(_ file: DiskFile, _ change: (DiskFile) throws(E) -> Result) throws(E)
    -> Result
  {
    let before = file.seen.allocated
    defer { pagesUsed += file.seen.allocated - before }
    return try change(file)
  }
}
