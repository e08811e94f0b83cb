import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BytesCollectionTests {
  private let content: [UInt8] = (0..<200).map { UInt8($0) }

  @Test(arguments: [1, 2, 7, 64, 199, 200])
  func `subscript, iteration and distance agree with an array`(size: Int) {
    let bytes = Bytes.cut(content, every: size)
    #expect(bytes.startIndex == 0)
    #expect(bytes.endIndex == 200)
    #expect(bytes.indices == 0..<200)
    for position in bytes.indices { #expect(bytes[position] == content[position]) }
    var iterated: [UInt8] = []
    for byte in bytes { iterated.append(byte) }
    #expect(iterated == content)
    #expect(Array(bytes.reversed()) == content.reversed())
    #expect(bytes.first == 0)
    #expect(bytes.last == 199)
    #expect(bytes.index(3, offsetBy: 50) == 53)
  }

  @Test func `an iterator that has ended stays ended`() {
    for bytes in [Bytes(), Bytes([1]), .cut([1, 2], every: 1)] {
      var iterator = bytes.makeIterator()
      for byte in bytes { #expect(iterator.next() == byte) }
      #expect(iterator.next() == nil)
      #expect(iterator.next() == nil)
    }
  }

  @Test func `an iterator keeps its bytes alive`() {
    func detached() -> Bytes.Iterator { Bytes.cut(Array(repeating: 42, count: 4096), every: 1000).makeIterator() }
    var iterator = detached()
    var count = 0
    while let byte = iterator.next() {
      #expect(byte == 42)
      count += 1
    }
    #expect(count == 4096)
  }

  @Test func `a subscript with a range is bytes that count from zero`() {
    for bytes in [Bytes(content), .cut(content, every: 9)] {
      let part = bytes[10..<30]
      #expect(type(of: part) == Bytes.self)
      #expect(part.count == 20 && part.startIndex == 0 && part[0] == 10)
      #expect(part == Bytes(content[10..<30]))
      #expect(part.firstIndex(of: 20) == 10)
      #expect(bytes[10...] == Bytes(content[10...]) && bytes[..<10] == Bytes(content[..<10]))
      #expect(bytes[3...5] == [3, 4, 5] && bytes[...5] == Bytes(content[...5]))
      #expect(bytes[200...].isEmpty && bytes[7..<7].isEmpty)
      #expect(part[5..<8] == [15, 16, 17])
    }
  }

  @Test func `a slice becomes bytes without a copy`() throws {
    let bytes = Bytes(content)
    let slice: Slice<Bytes> = bytes.dropFirst(50)
    let rest = Bytes(slice)
    #expect(rest.count == 150 && rest[0] == 50)
    #expect(Bytes(rest).base == rest.base)
    #expect(rest.base == bytes.base.map { $0 + 50 })
    #expect(Bytes(Bytes.cut(content, every: 9).suffix(3)) == Bytes(content.suffix(3)))
  }

  @Test func `the first and the last are bytes that count from zero`() {
    for bytes in [Bytes(content), .cut(content, every: 9)] {
      #expect(type(of: bytes.prefix(4)) == Bytes.self && type(of: bytes.dropFirst()) == Bytes.self)
      #expect(bytes.dropFirst(65).prefix(3).hex == "414243")
      #expect(bytes.suffix(2)[0] == 198 && bytes.dropLast(190).count == 10)
      for count in [0, 1, 17, 199, 200, 201, Int.max] {
        #expect(bytes.prefix(count) == Bytes(content.prefix(count)))
        #expect(bytes.suffix(count) == Bytes(content.suffix(count)))
        #expect(bytes.dropFirst(count) == Bytes(content.dropFirst(count)))
        #expect(bytes.dropLast(count) == Bytes(content.dropLast(count)))
      }
    }
    #expect(Bytes().dropFirst().isEmpty && Bytes().suffix(3).isEmpty)
  }

  @Test func `a negative count traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2]).prefix(-1)) }
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2]).suffix(-1)) }
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2]).dropFirst(-1)) }
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2]).dropLast(-1)) }
  }

  /// What generic code for collections sees.
  private func part<C: Collection>(of collection: C, _ range: Range<Int>) -> C.SubSequence where C.Index == Int {
    collection[range]
  }

  @Test func `generic code gets a slice that keeps its positions, as of Data`() {
    for bytes in [Bytes(content), .cut(content, every: 9)] {
      let slice: Slice<Bytes> = bytes[10..<30]
      #expect(part(of: bytes, 10..<30).startIndex == 10)
      #expect(slice.startIndex == 10)
      #expect(slice[10] == 10)
      #expect(slice.first == 10)
      #expect(Array(slice.prefix(3)) == [10, 11, 12])
      #expect(Array(slice.dropFirst(18)) == [28, 29])
      #expect(slice.firstIndex(of: 20) == 20)
      #expect(Bytes(slice) == bytes.slice(10..<30))
      #expect(slice.base.count == 200)
      #expect(String(decoding: bytes[65..<68], as: UTF8.self) == "ABC")
      #expect(bytes[10..<30].elementsEqual(content[10..<30]))
      #expect(bytes[5...].split(separator: 7).map { Array($0) } == [[5, 6], Array(8..<200)])
    }
  }

  @Test func `storage is contiguous for one piece and not available for a rope`() {
    #expect(Bytes(content).withContiguousStorageIfAvailable { Array($0) } == content)
    #expect(Bytes().withContiguousStorageIfAvailable { $0.count } == 0)
    #expect(Bytes.cut(content, every: 9).withContiguousStorageIfAvailable { _ in true } == nil)
    #expect(Bytes.cut(content, every: 9).slice(9..<18).withContiguousStorageIfAvailable { Array($0) } == Array(9..<18))
    #expect(Bytes(content)[7..<9].withContiguousStorageIfAvailable { Array($0) } == [7, 8])
  }

  @Test func `a position at the end traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2])[2]) }
  }

  @Test func `a position that lies in the backing but not in the slice traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2, 3]).slice(0..<2)[2]) }
  }

  @Test func `a negative position of a slice traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2, 3]).slice(1..<3)[-1]) }
  }

  // MARK: equality

  @Test func `equal contents are equal however they are cut, and hash equally`() {
    let long = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let cuts = [1, 2, 3, 500, 1023, 1024, 1025, 4999, 5000].map { Bytes.cut(long, every: $0) }
    for bytes in cuts {
      #expect(bytes == cuts[0])
      #expect(bytes.hashValue == cuts[0].hashValue)
    }
    #expect(Set(cuts).count == 1)
    let shifted = Bytes(concatenating: [Bytes([9]), cuts[3]]).slice(1..<5001)
    #expect(shifted == cuts[0])
    #expect(shifted.hashValue == cuts[0].hashValue)
  }

  @Test func `one different byte makes bytes differ, at every position`() {
    for position in content.indices {
      var other = content
      other[position] ^= 0x80
      #expect(Bytes.cut(other, every: 7) != Bytes.cut(content, every: 11), "position \(position)")
      #expect(Bytes(other) != Bytes(content))
    }
  }

  @Test func `a prefix is not equal and zeros of other counts hash differently`() {
    #expect(Bytes(content) != Bytes(content.dropLast()))
    #expect(Bytes() != Bytes([0]))
    #expect(Set((0..<50).map { Bytes(repeatElement(0, count: $0)) }).count == 50)
  }

  // MARK: description

  @Test func `the description names the count and the first bytes`() {
    #expect("\(Bytes([0x50, 0x4B, 3, 4]))" == "Bytes(4: 50 4b 03 04)")
    #expect("\(Bytes())" == "Bytes(0: )")
    #expect("\(Bytes.cut(content, every: 3))" == "Bytes(200: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f …)")
    #expect("\(Bytes(0..<16))" == "Bytes(16: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f)")
  }
}
