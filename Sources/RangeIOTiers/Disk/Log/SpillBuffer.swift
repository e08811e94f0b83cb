import RangeIO

/// Bytes on their way to the end of a file: a buffer, and payloads that are written directly from their memory.
struct SpillBuffer: ~Copyable {
  private var memory: WritableBytes?
  private(set) var filled = 0
  /// Each of these is written after this many bytes of the buffer.
  private var gathered: [(after: Int, bytes: Bytes)] = []
  private var gatheredBytes = 0

  /// The capacity of the buffer, unless one record needs more.
  private static let usualCapacity = SpillWriter.batchBytes + (256 << 10)

  init() {}

  var count: Int { filled + gatheredBytes }

  /// The next bytes of the buffer; `nil` if it has no room for so many.
  func space(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    guard let memory, memory.capacity - filled >= count else { return nil }
    return memory.memory.part(filled, count)
  }

  /// Makes room for this many bytes in an empty buffer. Returns false if there is no memory.
  mutating func makeSpace(_ count: Int) -> Bool {
    if let memory, memory.capacity >= count { return true }
    memory = nil
    // `try?`: the only error is that there is no memory.
    guard let fresh = try? BufferPool.shared.buffer(max(count, Self.usualCapacity)) else { return false }
    memory = fresh
    return true
  }

  /// Adds the bytes that were written to ``space(_:)``.
  mutating func add(_ count: Int) { filled += count }

  /// Adds bytes that are written from their own memory, after this many of the buffer.
  mutating func gather(_ bytes: Bytes, after place: Int) {
    gathered.append((after: place, bytes: bytes))
    gatheredBytes += bytes.count
  }

  /// Calls `body` with what is to be written.
  func withParts<E: Error>(_ body: ([UnsafeRawBufferPointer]) throws(E) -> Void) throws(E) {
    guard let memory else { return }
    try withExtendedLifetime(gathered) { () throws(E) in try body(parts(of: memory)) }
  }

  /// The parts of the buffer, and between them the bytes that are written from elsewhere.
  private func parts(of memory: WritableBytes) -> [UnsafeRawBufferPointer] {
    var parts: [UnsafeRawBufferPointer] = []
    var start = 0
    for (after, bytes) in gathered {
      parts.append(memory.filled(filled).part(start, after - start))
      // The pointer leaves the closure: the memory stays in place for as long as the bytes live, which the caller
      // ensures.
      bytes.withUnsafeBytes { parts.append($0) }
      start = after
    }
    if start < filled { parts.append(memory.filled(filled).part(start, filled - start)) }
    return parts
  }

  /// Discards what was written, or cannot be written.
  mutating func empty() {
    filled = 0
    gathered = []
    gatheredBytes = 0
  }

  mutating func release() { memory = nil }
}
