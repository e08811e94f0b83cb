#if Encrypted
  public import RangeIO

  extension ReadPipeline {
    /// Decrypts an object, range by range. The stages above see the contents, and their size.
    ///
    /// ```swift
    /// let reader = try await RangeReader(source, [
    ///   .caching(store),
    ///   .decrypting(try .stream(key: key, noncePrefix: prefix)),
    ///   .merging(), .retrying(),
    /// ])
    /// ```
    ///
    /// A range is widened to whole chunks, or to 4 KiB in counter mode, and read as one.
    ///
    /// **Place.** As `.decoding`, which it is made of. Below `.caching` the cache keeps contents, decrypted once: in plain, unless its
    /// disk is encrypted too (`DiskConfiguration.encryption`). Above `.caching` the cache keeps what is encrypted, and decrypts
    /// at each read.
    ///
    /// **Errors.** `ReadError.Code.corrupted` if a chunk is not authentic: the key is another one, or the object was
    /// changed or cut short. Reading again does not help. In counter mode nothing tells that.
    public static func decrypting(_ encryption: ObjectEncryption) -> ReadPipeline {
      let layout = encryption.layout
      return .decoding(
        name: encryption.name, blockSize: .bytes(layout.blockSize),
        encodedBlockSize: .bytes(layout.blockSize + layout.tagSize), headerSize: .bytes(layout.headerSize),
        trailerSize: .bytes(layout.trailerSize)
      ) { [cipher = encryption.cipher] block, isLast, encrypted in
        guard let plain = encrypted.withUnsafeBytes({ cipher.decrypt(block, isLast: isLast, $0) }) else {
          throw ReadError(
            .corrupted,
            "chunk \(block)\(isLast ? ", the last one," : "") is not authentic: it was encrypted with another key, or the object "
              + "was changed or cut short")
        }
        return plain
      }
    }
  }
#endif
