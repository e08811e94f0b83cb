internal import CRangeIOExecutor

/// Runs tasks on threads that may wait for a disk. A read of an ``InPlaceSource`` blocks the thread of its task until
/// the bytes are there; no other thread is woken for it.
///
/// ```swift
/// let executor = ReadingExecutor()
/// let reader = try await RangeReader(InPlaceSource("/data/index.bin"))
/// try await withThrowingTaskGroup { group in
///   for range in ranges {
///     group.addTask(executorPreference: executor) { try await check(reader.read(range)) }
///   }
///   try await group.waitForAll()
/// }
/// ```
///
/// Use it for a program, or the part of one, that reads many small ranges that are not in memory. For everything else
/// Swift's own threads and `FileSource` do as well.
///
/// **Threads.** At first as many as there are processors run tasks. While one of them waits for the disk, another one runs
/// the next task, up to ``maxThreads``. A task that has read for 10 ms while others wait for a thread goes behind them. Threads
/// that have had nothing to do for a second end; an idle executor uses no processor.
///
/// **What runs here.** Tasks with this executor as their preference (SE-0417), and their child tasks. Not `Task { }`,
/// nor code of the main actor or of an actor with an executor of its own.
public final class ReadingExecutor: TaskExecutor {
  /// The most threads it has.
  public let maxThreads: Int
  private let plan: Guarded<ThreadPlan<UnownedJob, Worker>>
  private let timeSlice: Int64
  private let start: Start

  /// Runs the body with its context on a new thread; negative if there is none.
  typealias Start =
    @Sendable (_ body: @convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> CInt

  /// Creates an executor. It starts threads when there is something to do.
  ///
  /// - Parameter maxThreads: the most threads, and so the most reads that wait for the disk at a time. With less than 1 there is
  ///   one. Default: 64; most disks give no more with more.
  public convenience init(maxThreads: Int = 64) { self.init(maxThreads: maxThreads, width: Int(rie_processor_count())) }

  /// - Parameters:
  ///   - width: how many threads may run tasks at a time, besides threads that wait for the disk.
  ///   - timeSlice: for how long a task may read while others wait for a thread, in nanoseconds.
  ///   - start: starts a thread.
  init(
    maxThreads: Int, width: Int, timeSlice: Int64 = 10_000_000, start: @escaping Start = { rie_thread_start($0, $1) }
  ) {
    self.maxThreads = max(1, maxThreads)
    self.timeSlice = timeSlice
    plan = Guarded(ThreadPlan(limit: self.maxThreads, width: width))
    self.start = start
  }

  /// The number of threads now.
  var threadCount: Int { plan.withLock { $0.threads } }

  /// Runs a part of a task on a thread of this executor, soon. Swift calls it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.queued(job) }
  }

  /// Changes the plan, and acts on what it says.
  fileprivate func change(_ body: (inout ThreadPlan<UnownedJob, Worker>) -> ThreadPlan<UnownedJob, Worker>.Action) {
    let action = plan.withLock { plan in
      let action = body(&plan)
      if case .wake(let worker) = action { worker.isWoken = true }
      return action
    }
    switch action {
    case .nothing: break
    case .wake(let worker): rie_bed_wake(worker.bed)
    case .start: startThread()
    }
  }

  private func startThread() {
    let context = Unmanaged.passRetained(Worker(self)).toOpaque()
    let result = start({ Unmanaged<Worker>.fromOpaque($0!).takeRetainedValue().run() }, context)
    guard result < 0 else { return }
    Unmanaged<Worker>.fromOpaque(context).release()
    // Other threads do the work. If there are none, this one must.
    change { $0.failedToStart() }
    while let orphan = plan.withLock({ $0.orphan() }) { orphan.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// One thread.
  final class Worker: @unchecked Sendable {
    // Unchecked: `isWoken` is used under the lock of the executor's plan; `sliceBegan` by the worker's own thread only.
    private let executor: ReadingExecutor
    fileprivate let bed = rie_bed_create()
    fileprivate var isWoken = false
    private var sliceBegan: Int64 = 0

    private static let idle: Int64 = 1_000_000_000

    fileprivate init(_ executor: ReadingExecutor) { self.executor = executor }

    deinit { rie_bed_destroy(bed) }

    /// The worker whose thread this is; `nil` on any other thread.
    static var current: Worker? {
      rie_thread_kept().map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Does `body`, which waits in a system call, on this thread, which is the worker's own.
    func waiting<Value>(_ body: () throws -> Value) rethrows -> Value {
      executor.change { $0.waits() }
      defer { executor.plan.withLock { $0.waited() } }
      return try body()
    }

    /// Nothing else is to be done by this executor now.
    var isAlone: Bool { executor.plan.withLock { $0.isOneAlone } }

    /// The task that runs here has used up its time slice, and other tasks wait for a thread.
    var isSliceOver: Bool {
      executor.plan.withLock { $0.isJobQueued } && rie_now_ns() - sliceBegan > executor.timeSlice
    }

    fileprivate func run() {
      rie_thread_keep(Unmanaged.passUnretained(self).toOpaque())
      while let job = next() {
        sliceBegan = rie_now_ns()
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
      }
    }

    /// The next job; `nil` if none came for long, and the thread ends.
    private func next() -> UnownedJob? {
      let plan = executor.plan
      rie_lock_lock(plan.lock)
      defer { rie_lock_unlock(plan.lock) }
      while true {
        isWoken = false
        if let job = plan.locked({ $0.next(for: self) }) { return job }
        while !isWoken {
          guard rie_bed_doze(bed, plan.lock, Self.idle), !isWoken else { continue }
          plan.locked { $0.ends { $0 === self } }
          return nil
        }
      }
    }
  }
}
