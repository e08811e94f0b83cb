#if SharedCache
  internal import RangeIO
  internal import RangeIOSupport

  /// Writes blocks as values of an engine, and reads them again. The format is that of `Docs/Formats/SharedBlock.md`.
  struct BlockFrame: Sendable {
    /// Why a value is not the block that was asked for.
    enum Fault: Error, Hashable {
      /// Shorter or longer than it says, or not of this format.
      case malformed
      /// Whole, but another block.
      case foreign
      /// Its checksum is wrong.
      case damaged
      /// Encrypted by a key that is not known, plain where it should be encrypted, or forged.
      case notAuthentic
    }

    static let headerSize = 32
    private static let sumOffset = 28
    private static let magic: [UInt8] = Array("RIOB".utf8)

    /// The keys, of which the current one encrypts; `nil`: plain values.
    let keys: SharedCacheKeys?

    /// The bytes of a value beyond those of its block.
    func overhead(of family: BlockFamily) -> Int {
      Self.headerSize + family.identity.count + (keys == nil ? 0 : GCMCipher.nonceCount + GCMCipher.tagCount)
    }

    // MARK: writing

    /// The value for a block.
    func value(of contents: Bytes, block: Int, in family: BlockFamily) throws -> Bytes {
      let header = header(contents.count, block, family)
      guard let keys else { return Self.sealed(header, family.identity, [contents]) }
      let sealed = contents.withUnsafeBytes { keys[keys.current]?.seal($0, context: header + family.identity) }
      // It fails for want of memory alone.
      guard let sealed else { throw Fault.notAuthentic }
      return Self.sealed(header, family.identity, [sealed])
    }

    /// All of the header but the checksum.
    private func header(_ count: Int, _ block: Int, _ family: BlockFamily) -> [UInt8] {
      var header = Self.magic + [1, keys == nil ? 0 : 1, 0, 0]
      header.append(littleEndian: keys?.current ?? 0)
      header.append(littleEndian: UInt32(family.identity.count))
      header.append(littleEndian: UInt64(block))
      header.append(littleEndian: UInt32(count))
      return header
    }

    private static func sealed(_ header: [UInt8], _ identity: [UInt8], _ parts: [Bytes]) -> Bytes {
      var sum = Bytes(identity).crc32c(continuing: Bytes(header).crc32c())
      for part in parts { sum = part.crc32c(continuing: sum) }
      var start = header
      start.append(littleEndian: sum)
      return Bytes(concatenating: [Bytes(start + identity)] + parts)
    }

    // MARK: reading

    /// The contents of the block, if `value` is that block and whole.
    func contents(of value: Bytes, block: Int, in family: BlockFamily) throws(Fault) -> Bytes {
      let value = value.contiguous()
      let count = family.count(of: block)
      let start = Self.headerSize + family.identity.count
      guard value.count >= Self.headerSize else { throw .malformed }
      let sum = value[Self.headerSize...].crc32c(continuing: value[..<Self.sumOffset].crc32c())
      let fault = value.withUnsafeBytes { memory -> Fault? in
        func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
          Number(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: type))
        }
        guard memory[0..<4].elementsEqual(Self.magic), memory[4] == 1, memory[6] == 0, memory[7] == 0 else {
          return .malformed
        }
        guard sum == number(Self.sumOffset, UInt32.self) else { return .damaged }
        let length = Int(number(12, UInt32.self))
        guard length <= memory.count - Self.headerSize else { return .malformed }
        guard number(16, UInt64.self) == UInt64(block), length == family.identity.count,
          memory[Self.headerSize..<start].elementsEqual(family.identity)
        else { return .foreign }
        guard memory[5] == (keys == nil ? 0 : 1) else { return .notAuthentic }
        return number(24, UInt32.self) == UInt32(count) && memory.count == overhead(of: family) + count
          ? nil : .malformed
      }
      if let fault { throw fault }
      guard let keys else { return value[start...] }
      return try opened(value, start, keys)
    }

    private func opened(_ value: Bytes, _ start: Int, _ keys: SharedCacheKeys) throws(Fault) -> Bytes {
      let contents = value.withUnsafeBytes { memory in
        let id = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let header = Array(memory[..<Self.sumOffset]) + memory[Self.headerSize..<start]
        return keys[id]?.open(UnsafeRawBufferPointer(rebasing: memory[start...]), context: header)
      }
      guard let contents else { throw .notAuthentic }
      return contents
    }
  }
#endif
