import RangeIO
import RangeIOTesting
import RangeIOTiers
import Testing

struct CodecConformanceTests {
  @Test func `a codec that counts its bytes keeps the contract`() throws {
    try CodecConformance.check(Counting(nil), seed: 1)
  }

  @Test(arguments: Counting.Fault.allCases) func `each fault of a codec is found`(fault: Counting.Fault) {
    #expect(throws: CodecConformance.Violation.self) { try CodecConformance.check(Counting(fault), seed: 1) }
  }
}

/// Writes the number of bytes, their sum, and then the bytes; with a fault.
final class Counting: ChunkCodec {
  enum Fault: CaseIterable, Sendable {
    case wrongByte, losesTheEnd, refusesAll, claimsToFit, claimsMore, encodesBeyond, decodesBeyond, fillsLonger,
      remembersTheLast
  }
  let id: UInt8 = 200
  private let fault: Fault?
  /// The last one that was encoded.
  private let last = Locked<[UInt8]>([])
  private static let headCount = 4

  init(_ fault: Fault?) { self.fault = fault }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard fault != .refusesAll else { return nil }
    if fault == .remembersTheLast { last.withLock { $0 = Array(source) } }
    let count = Self.headCount + source.count
    // `!`: no buffer is empty. The suite leaves 64 bytes behind each, so writing beyond one does no harm.
    let room = destination.count + (fault == .encodesBeyond ? 8 : 0)
    guard count <= room || fault == .claimsToFit, destination.count >= Self.headCount else { return nil }
    destination.storeBytes(of: UInt32(source.count), as: UInt32.self)
    for index in 0..<min(source.count, room - Self.headCount) {
      (destination.baseAddress! + Self.headCount + index).storeBytes(of: source[index], as: UInt8.self)
    }
    return fault == .claimsMore ? destination.count + 1 : min(count, max(destination.count, room))
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard source.count >= Self.headCount else { return false }
    let count = Int(source.loadUnaligned(as: UInt32.self))
    let bytes = source.dropFirst(Self.headCount)
    if fault == .remembersTheLast {
      let last = last.withLock { $0 }
      guard last.count == destination.count else { return false }
      destination.copyBytes(from: last)
      return true
    }
    guard count == destination.count || fault == .fillsLonger else { return false }
    guard bytes.count >= min(count, destination.count) || fault == .claimsToFit else { return false }
    for (index, byte) in bytes.prefix(destination.count).enumerated() { destination[index] = byte }
    if fault == .wrongByte, count > 20 { destination[20] = ~destination[20] }
    if fault == .losesTheEnd, count > 1000 { destination[count - 1] = 0 }
    if fault == .decodesBeyond {
      // `!`: as above.
      (destination.baseAddress! + destination.count).storeBytes(of: 0, as: UInt8.self)
    }
    return true
  }
}
