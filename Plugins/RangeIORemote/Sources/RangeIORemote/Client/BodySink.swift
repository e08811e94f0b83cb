internal import RangeIO

/// Where the bytes of a range go, answer after answer: into memory of exactly their size, into memory that grows, or to a
/// function.
///
/// Slices of the client's buffers would each keep up to 64 KiB alive.
final class BodySink: @unchecked Sendable {
  // Unchecked: one request at a time writes, on its event loop. The next one begins after its answer was received, and
  // the bytes are taken after the last one. An answer that no read waits for any more is not written.

  /// Takes the bytes as they arrive.
  typealias Receiver = @Sendable (Bytes) throws -> Void

  /// Returns true if the writer has to wait. Then calls the function once when it may go on.
  typealias Pause = @Sendable (@escaping @Sendable () -> Void) -> Bool

  private enum Target {
    /// One buffer for each count, made when the first byte arrives.
    case buffers(counts: [Int], isKept: Bool, [WritableBytes])
    case receiver(Receiver)
    case collected([UInt8])
  }
  private var target: Target
  /// `nil`: takes all at once.
  let pause: Pause?
  private var index = 0
  private var position = 0

  /// Memory for all bytes.
  init(count: Int) {
    target = .buffers(counts: [count], isKept: false, [])
    pause = nil
  }

  /// Memory for parts of these sizes, one after the other. If a part is a block, a store keeps it without a copy.
  init(parts counts: [Int]) {
    target = .buffers(counts: counts, isKept: true, [])
    pause = nil
  }

  /// A function that gets all bytes in order. What it throws ends the read.
  init(_ receiver: @escaping Receiver, pausing pause: Pause? = nil) {
    target = .receiver(receiver)
    self.pause = pause
  }

  /// Memory that grows with what comes.
  init() {
    target = .collected([])
    pause = nil
  }

  /// The bytes that have come into memory that grows.
  var collected: [UInt8] { if case .collected(let bytes) = target { bytes } else { [] } }

  /// Takes the next bytes. They never are more than the parts together.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    switch target {
    case .receiver(let receiver): try receiver(Bytes(copying: bytes))
    case .collected(var all):
      // So that it is not shared, and not copied.
      target = .collected([])
      all += bytes
      target = .collected(all)
    case .buffers(let counts, let isKept, var buffers):
      if buffers.isEmpty {
        buffers = try counts.map { count throws(ReadError) in
          try isKept ? BlockBacking.buffer(count) : BufferPool.shared.buffer(count)
        }
        target = .buffers(counts: counts, isKept: isKept, buffers)
      }
      copy(bytes, to: buffers)
    }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to buffers: [WritableBytes]) {
    var rest = bytes
    while !rest.isEmpty {
      let buffer = buffers[index]
      let count = min(rest.count, buffer.capacity - position)
      // The base exists: `rest` is not empty.
      (buffer.base + position).copyMemory(from: rest.baseAddress!, byteCount: count)
      position += count
      if position == buffer.capacity { (index, position) = (index + 1, 0) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// The parts, once all of them are written.
  func parts() -> [Bytes] {
    guard case .buffers(let counts, _, let buffers) = target else { return [] }
    precondition(index == counts.count, "all parts are written before they are taken")
    return buffers.map { $0.bytes($0.capacity) }
  }
}
