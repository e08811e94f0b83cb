import Foundation
import RangeIO
import RangeIOFoundation
import Testing

@Suite struct DataBytesTests {
  private static let sizes = [0, 1, 14, 15, 16, 1024, 70_000]

  @Test(arguments: sizes)
  func `a Data of bytes is equal to them, one piece or many`(count: Int) {
    let content = pattern(count)
    for bytes in [Bytes(content), cut(content, every: 13), Bytes(pattern(count) + [1, 2]).slice(0..<count)] {
      #expect(Data(bytes) == Data(content))
      #expect(Data(unsafeSharing: bytes) == Data(content))
      #expect(Data(bytes).startIndex == 0)
    }
  }

  @Test func `a Data of bytes is a copy, which may be changed`() {
    let bytes = Bytes(pattern(10_000))
    var data = Data(bytes)
    #expect(data.address != bytes.address)
    data[0] ^= 0xFF
    data.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in buffer[1] ^= 0xFF }
    #expect(Array(bytes) == pattern(10_000))
  }

  @Test func `a sharing Data copies one piece not at all and a rope once`() {
    let bytes = Bytes(pattern(10_000))
    #expect(Data(unsafeSharing: bytes).address == bytes.address)
    #expect(Data(unsafeSharing: bytes.slice(5000..<6000)).address == bytes.address.map { $0 + 5000 })
    let rope = cut(pattern(10_000), every: 1000)
    #expect(Data(unsafeSharing: rope.slice(1000..<2000)).address == rope.slice(1000..<2000).address)
    #expect(Data(unsafeSharing: rope) == Data(pattern(10_000)))
  }

  @Test func `a sharing Data keeps the bytes' memory until its last slice is gone`() {
    weak var witness: Witness?
    var slice: Data?
    do {
      let owner = Witness(pattern(4096))
      witness = owner
      slice = Data(unsafeSharing: owner.bytes)[100..<200]
    }
    #expect(witness != nil)
    #expect(slice.map { Array($0) } == Array(pattern(4096)[100..<200]))
    slice = nil
    #expect(witness == nil)
  }

  @Test func `a sharing Data that shares with another copies itself before it changes`() {
    let bytes = Bytes(pattern(4096))
    let kept = Data(unsafeSharing: bytes)
    var changed = kept
    changed[0] ^= 0xFF
    #expect(changed != kept)
    #expect(Array(bytes) == pattern(4096))
  }

  @Test func `a copy does not keep the bytes' memory`() {
    weak var witness: Witness?
    var data = Data()
    do {
      let owner = Witness(pattern(4096))
      witness = owner
      data = Data(owner.bytes)
    }
    #expect(witness == nil)
    #expect(data == Data(pattern(4096)))
  }

  @Test func `there and back again`() {
    let bytes = cut(pattern(70_000), every: 999)
    #expect(Bytes(Data(bytes)) == bytes)
    #expect(Bytes(Data(unsafeSharing: bytes)) == bytes)
    let piece = bytes.contiguous()
    #expect(Bytes(Data(unsafeSharing: piece)).address == piece.address)
  }
}
