import Foundation
import RangeIO
import Testing

@testable import RangeIOFoundation

@Suite struct BytesDataTests {
  private static let sizes = [0, 1, 14, 15, 16, 31, 1023, 1024, 1025, 70_000, 300_000]

  @Test(arguments: sizes)
  func `bytes of a Data are equal to it, and shared from the threshold on`(count: Int) {
    let content = pattern(count)
    let data = Data(content)
    let bytes = Bytes(data)
    #expect(Array(bytes) == content)
    #expect(bytes.isContiguous)
    #expect(count < Bytes.minSharedBytes || bytes.address == data.address)
    #expect(count == 0 || count >= Bytes.minSharedBytes || bytes.address != data.address)
    #expect(bytes.backingByteCount == count)
  }

  @Test func `bytes outlive the Data they were made of`() {
    var all: [Bytes] = []
    for count in Self.sizes { all.append(Bytes(Data(pattern(count)))) }
    // Whatever was freed by mistake is used again here.
    let others = (0..<200).map { Data(repeating: 0xEE, count: 500 * $0) }
    for (count, bytes) in zip(Self.sizes, all) { #expect(Array(bytes) == pattern(count)) }
    #expect(others.count == 200)
  }

  @Test(arguments: sizes.filter { $0 > 0 })
  func `changing the Data afterwards leaves the bytes alone`(count: Int) {
    var data = Data(pattern(count))
    let bytes = Bytes(data)
    data[0] ^= 0xFF
    data.append(1)
    data.withUnsafeMutableBytes { buffer in _ = buffer.initializeMemory(as: UInt8.self, repeating: 0) }
    #expect(Array(bytes) == pattern(count))
    data.resetBytes(in: 0..<data.count)
    data.removeAll(keepingCapacity: true)
    data.append(contentsOf: [UInt8](repeating: 7, count: count))
    #expect(Array(bytes) == pattern(count))
  }

  @Test func `a slice of a Data shows what the slice shows`() {
    let content = pattern(100_000)
    var data = Data(content)
    let big = Bytes(data[1000..<90_000])
    let small = Bytes(data[5..<9])
    let sliceOfSlice = Bytes(data[1000..<90_000][2000..<50_000])
    #expect(big.address == data.address.map { $0 + 1000 })
    data[1500] ^= 0xFF
    #expect(Array(big) == Array(content[1000..<90_000]))
    #expect(Array(small) == Array(content[5..<9]))
    #expect(Array(sliceOfSlice) == Array(content[2000..<50_000]))
  }

  @Test func `a Data over foreign memory is kept until the last slice of the bytes is gone`() {
    weak var witness: Witness?
    var slice: Bytes?
    do {
      let owner = Witness(pattern(4096))
      witness = owner
      let data = Data(
        bytesNoCopy: owner.memory.baseAddress!, count: 4096,
        deallocator: .custom { _, _ in withExtendedLifetime(owner) {} })
      slice = Bytes(data).slice(100..<200)
    }
    #expect(witness != nil)
    #expect(slice.map { Array($0) } == Array(pattern(4096)[100..<200]))
    slice = nil
    #expect(witness == nil)
  }

  @Test func `the bytes of a Data cross threads`() async {
    let bytes = Bytes(Data(pattern(100_000)))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { Array(bytes) == pattern(100_000) } }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}
