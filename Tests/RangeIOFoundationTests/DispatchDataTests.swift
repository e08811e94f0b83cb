import Dispatch
import RangeIO
import RangeIOFoundation
import Testing

@Suite struct DispatchDataTests {
  private func dispatchData(_ parts: [[UInt8]]) -> DispatchData {
    var all = DispatchData.empty
    for part in parts { all.append(part.withUnsafeBytes { DispatchData(bytes: $0) }) }
    return all
  }

  private func regions(_ data: DispatchData) -> [UnsafeRawBufferPointer] {
    var regions: [UnsafeRawBufferPointer] = []
    data.enumerateBytes { region, _, _ in regions.append(UnsafeRawBufferPointer(region)) }
    return regions
  }

  // MARK: to Bytes

  @Test func `empty data are empty bytes`() {
    #expect(Bytes(DispatchData.empty) == Bytes())
    #expect(Bytes(dispatchData([[], []])) == Bytes())
  }

  @Test func `one region is one piece, not copied`() {
    let data = dispatchData([pattern(5000)])
    let bytes = Bytes(data)
    #expect(Array(bytes) == pattern(5000))
    #expect(bytes.isContiguous)
    #expect(bytes.address == regions(data).first?.baseAddress)
    #expect(bytes.backingByteCount == 5000)
  }

  @Test func `several regions are a rope, not copied`() {
    let parts = [pattern(100), pattern(2000), [1], pattern(70_000)]
    let data = dispatchData(parts)
    let bytes = Bytes(data)
    #expect(Array(bytes) == parts.flatMap { $0 })
    #expect(bytes.pieceCounts == [100, 2000, 1, 70_000])
    #expect(bytes.slice(100..<2100).address == regions(data)[1].baseAddress)
    #expect(bytes.slice(0..<100).contiguous().backingByteCount == 72_101, "a piece keeps all of the data")
    #expect(bytes.backingByteCount == 72_101)
  }

  @Test func `part of a region is shown as that part`() {
    let data = dispatchData([pattern(100), pattern(200)]).subdata(in: 50..<150)
    #expect(Array(Bytes(data)) == Array(pattern(100)[50...]) + Array(pattern(200)[..<50]))
  }

  @Test func `bytes outlive the data they were made of, and keep it until the last slice is gone`() async {
    weak var witness: Witness?
    var isAlive: AsyncStream<Void>?
    var slice: Bytes?
    do {
      let owner = Witness(pattern(4096))
      witness = owner
      isAlive = owner.isAlive
      var data = DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(owner.memory), deallocator: .custom(nil) { withExtendedLifetime(owner) {} })
      data.append(dispatchData([[1, 2, 3]]))
      slice = Bytes(data).slice(100..<200).contiguous()
    }
    for _ in 0..<1000 { await Task.yield() }
    #expect(witness != nil)
    #expect(slice.map { Array($0) } == Array(pattern(4096)[100..<200]))
    slice = nil
    if let isAlive { for await _ in isAlive {} }
    #expect(witness == nil)
  }

  // MARK: from Bytes

  @Test func `empty bytes are empty data`() {
    #expect(DispatchData(Bytes()).isEmpty)
  }

  @Test(arguments: [1, 7, 999, 5000])
  func `each piece is a region, not copied`(size: Int) {
    let bytes = cut(pattern(5000), every: size)
    let data = DispatchData(bytes)
    #expect(data.count == 5000)
    #expect(data.elementsEqual(pattern(5000)))
    #expect(regions(data).map(\.count) == bytes.pieceCounts)
    #expect(regions(data).first?.baseAddress == bytes.slice(0..<size).address)
  }

  @Test func `data outlives the bytes it was made of, and lets go of them in the end`() async {
    weak var witness: Witness?
    var isAlive: AsyncStream<Void>?
    var data = DispatchData.empty
    do {
      let owner = Witness(pattern(4096))
      witness = owner
      isAlive = owner.isAlive
      data = DispatchData(Bytes(concatenating: [owner.bytes.slice(0..<10), owner.bytes.slice(100..<200)]))
    }
    for _ in 0..<1000 { await Task.yield() }
    #expect(witness != nil)
    #expect(data.elementsEqual(Array(pattern(4096)[0..<10]) + Array(pattern(4096)[100..<200])))
    data = .empty
    if let isAlive { for await _ in isAlive {} }
    #expect(witness == nil)
  }

  @Test func `there and back again without a copy`() {
    let bytes = cut(pattern(5000), every: 1234)
    let back = Bytes(DispatchData(bytes))
    #expect(back == bytes)
    #expect(back.pieceCounts == bytes.pieceCounts)
    #expect(back.slice(1234..<2468).address == bytes.slice(1234..<2468).address)
  }
}
