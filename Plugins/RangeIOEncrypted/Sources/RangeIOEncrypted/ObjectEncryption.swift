#if Encrypted
  /// How an object is encrypted, for ``RangeIO/ReadPipeline/decrypting(_:)``.
  ///
  /// You bring the key of the contents. Where it is wrapped, as in the metadata of an S3 object or in the header of an age file,
  /// unwrap it first.
  public struct ObjectEncryption: Sendable {
    /// Why parameters cannot be used.
    public enum Fault: Error, Hashable {
      /// The key has another length.
      case keyLength
      /// The nonce, its prefix or the counter has another length.
      case nonceLength
      /// A chunk is empty or longer than 1 GiB, or the header has less than no bytes.
      case size
    }

    /// What is between the bytes of the object and those of the contents.
    struct Layout {
      var blockSize: Int
      var tagSize = 0
      var headerSize = 0
      var trailerSize = 0
    }

    /// Names the cipher and all that it depends on, without showing it.
    let name: String
    let layout: Layout
    let cipher: any BlockCipher

    /// AES in counter mode, with keys of 128 or 256 bits: each byte of the object is one of the contents.
    ///
    /// **Nothing tells whether the bytes are right**: who can change the object can flip bits of the contents. Put `.verifying` above,
    /// or take a format with tags.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - counter: the first block of the counter: 16 bytes, counted up as a number with the highest byte first.
    public static func counterMode(key: [UInt8], counter: [UInt8]) throws(Fault) -> ObjectEncryption {
      guard [16, 32].contains(key.count) else { throw .keyLength }
      guard counter.count == 16 else { throw .nonceLength }
      return ObjectEncryption(
        name: Self.name("aes-ctr", key, counter), layout: Layout(blockSize: CounterMode.blockSize),
        cipher: CounterMode(key: key, counter: counter))
    }

    /// An object of the S3 encryption client, whose `x-amz-cek-alg` is `AES/GCM/NoPadding`: ciphertext and one tag for all of it.
    ///
    /// The tag can only be compared by those who read all of the object, so **ranges are not authenticated**, as with the `getObject` of
    /// ranges of the client itself. See ``counterMode(key:counter:)``.
    ///
    /// - Parameters:
    ///   - key: the key of the contents, of 32 bytes, unwrapped from `x-amz-key-v2`.
    ///   - nonce: the 12 bytes of `x-amz-iv`.
    public static func s3(key: [UInt8], nonce: [UInt8]) throws(Fault) -> ObjectEncryption {
      guard key.count == 32 else { throw .keyLength }
      guard nonce.count == 12 else { throw .nonceLength }
      // GCM encrypts the tag with counter 1, and the contents from 2 on.
      let counter = nonce + [0, 0, 0, 2]
      return ObjectEncryption(
        name: Self.name("aes-gcm-s3", key, counter), layout: Layout(blockSize: CounterMode.blockSize, trailerSize: 16),
        cipher: CounterMode(key: key, counter: counter))
    }

    /// Chunks of AES-GCM in the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015): each with a tag, and a nonce of
    /// a prefix, the chunk's number (4 bytes, the highest first) and a byte that is 1 for the last one. A chunk that was changed,
    /// moved or left out is an error as soon as it is read; an object that was cut short, as soon as its last chunk is.
    ///
    /// An object that was cut to nothing, or to no more than a tag, is an empty one. If yours are never empty, refuse a size of 0.
    /// An empty chunk at the end, behind whole ones, is not understood.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - noncePrefix: 7 bytes.
    ///   - chunkSize: bytes of the contents in a chunk.
    ///   - headerSize: the bytes before the first chunk.
    public static func stream(
      key: [UInt8], noncePrefix: [UInt8], chunkSize: Int = 65_536, headerSize: Int = 0
    ) throws(Fault) -> ObjectEncryption {
      guard [16, 32].contains(key.count) else { throw .keyLength }
      guard noncePrefix.count == 7 else { throw .nonceLength }
      guard (1...1 << 30).contains(chunkSize), (0...Int.max / 2).contains(headerSize) else { throw .size }
      return ObjectEncryption(
        name: Self.name("aes-gcm-stream", key, noncePrefix),
        layout: Layout(blockSize: chunkSize, tagSize: 16, headerSize: headerSize),
        cipher: StreamMode(key: key, prefix: noncePrefix))
    }

    /// The contents of a file of age (age-encryption.org/v1): chunks of 64 KiB of ChaCha20-Poly1305 in the STREAM construction.
    ///
    /// - Parameters:
    ///   - fileKey: 16 bytes, unwrapped from a stanza of the header.
    ///   - nonce: the 16 bytes that follow the header.
    ///   - headerSize: the bytes of the header, up to and with the line feed of its last line.
    public static func age(fileKey: [UInt8], nonce: [UInt8], headerSize: Int) throws(Fault) -> ObjectEncryption {
      guard fileKey.count == 16 else { throw .keyLength }
      guard nonce.count == 16 else { throw .nonceLength }
      guard (0...Int.max / 2).contains(headerSize) else { throw .size }
      return ObjectEncryption(
        name: Self.name("age", fileKey, nonce),
        layout: Layout(blockSize: 65_536, tagSize: 16, headerSize: headerSize + nonce.count),
        cipher: AgeMode(fileKey: fileKey, nonce: nonce))
    }
  }

  extension ObjectEncryption.Fault: CustomStringConvertible {
    /// The fault, and what to do about it.
    public var description: String {
      switch self {
      case .keyLength: "the key has another length than the cipher takes: unwrap it first, and decode its base64"
      case .nonceLength: "the nonce has another length than the cipher takes: decode its base64"
      case .size: "a chunk has 1 byte to 1 GiB, and a header at least 0: check what was read from the object"
      }
    }
  }

  extension ObjectEncryption: CustomStringConvertible, CustomReflectable {
    /// The cipher, and a digest of what it depends on; never a key.
    public var description: String { "ObjectEncryption(\(name))" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
