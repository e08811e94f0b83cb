import CRangeIOSystem
import Synchronization
import SystemPackage

/// Reads past the page cache that the kernel does by itself, so that no thread has to wait for each: io_submit(2), Linux only.
/// One thread collects what has come, several reads at a time. An executor that resumes tasks on the thread that resumes them keeps
/// it from that.
final class KernelReads: Sendable {
  /// Begins a read of an open file into `buffer`. Returns 0, or `-errno` if it was not begun: `EAGAIN` if that would have to wait, or
  /// too many are under way. If it was, `read` is told of its end.
  typealias Begin =
    @Sendable (_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int, _ read: Read) -> Int

  /// Those of the process. `ENOSYS` if the system has no such reads, or refuses them.
  static let begin: Begin = { shared?.begin($0, $1, $2, $3) ?? -Int(Errno.noFunction.rawValue) }

  private static let shared = KernelReads()

  /// The most reads that are begun at the same time: what the queue of a disk has room for, as a rule.
  private static let capacity = 256

  /// A read that was begun. Keeps the descriptor and the memory until it has ended, whether or not its caller still waits.
  final class Read: @unchecked Sendable {
    // Unchecked: `kept` is set before the read begins, and let go once it has ended, by one thread.
    /// The number of bytes, or `-errno`.
    let answer = Promise<Int>()
    private let gate: ShutdownGate
    private let threads: IOThreads
    private var kept: (any Sendable)?

    /// - Parameters:
    ///   - gate: is entered until the read has ended.
    ///   - threads: let go of `kept` if nothing else has it.
    init(keeping kept: any Sendable, within gate: ShutdownGate, _ threads: IOThreads) {
      (self.kept, self.gate, self.threads) = (kept, gate, threads)
      gate.enterAgain()
    }

    func ended(_ result: Int) {
      // Who waits has the same, until the answer. If no one does, this may close the file, which may take long. Not captured: of the
      // job this thread may be the last to let go.
      if answer.isAnswered { threads.submit(IOJob(isUrgent: false) { [self] in kept = nil }) } else { kept = nil }
      gate.leave()
      answer.resolve(.success(result))
    }
  }

  private let queue: UInt64
  private let underWay = Atomic<Int>(0)

  private init?() {
    var queue: UInt64 = 0
    guard rio_reads_open(CInt(Self.capacity), &queue) >= 0 else { return nil }
    self.queue = queue
    // For as long as the process lives. It sleeps while no read is under way.
    let context = Unmanaged.passRetained(self).toOpaque()
    let result = rio_thread_start(
      { Unmanaged<KernelReads>.fromOpaque($0!).takeRetainedValue().collect() }, context, "rangeio")
    guard result < 0 else { return }
    Unmanaged<KernelReads>.fromOpaque(context).release()
    return nil
  }

  private func begin(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int, _ read: Read) -> Int {
    let reference = Unmanaged.passRetained(read)
    // Releases what the thread that collects acquires: the way through the kernel is none that the language knows.
    let number = underWay.wrappingAdd(1, ordering: .releasing).newValue
    var result = -Int(Errno.resourceTemporarilyUnavailable.rawValue)
    if number <= Self.capacity {
      result = Int(
        rio_reads_begin(queue, descriptor, buffer.baseAddress, buffer.count, Int64(offset), reference.toOpaque()))
      if result >= 0 { return 0 }
    }
    underWay.wrappingSubtract(1, ordering: .relaxed)
    reference.release()
    return result
  }

  private func collect() {
    withUnsafeTemporaryAllocation(of: rio_ended_read.self, capacity: 64) { ended in
      while true {
        let count = Int(rio_reads_collect(queue, ended.baseAddress, CInt(ended.count)))
        guard count > 0 else {
          // A sandbox that begins to forbid it must not cost a processor.
          if Errno(result: count) != .interrupted { rio_pause_ns(1_000_000) }
          continue
        }
        underWay.wrappingSubtract(count, ordering: .acquiring)
        for one in ended[..<count] {
          Unmanaged<Read>.fromOpaque(one.read).takeRetainedValue().ended(Int(one.result))
        }
      }
    }
  }
}
