#if S3
  internal import Crypto
  internal import Foundation
  public import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The checksum of a whole object that S3 keeps with it.
  ///
  /// ```swift
  /// let source = S3Source("s3://planet/settings.json")
  /// let stages = try await source.checksum().map { [.caching(store), .retrying(), $0.verifying] } ?? []
  /// let reader = try await RangeReader(source, stages)
  /// ```
  public struct S3Checksum: Hashable, Sendable {
    /// How it is computed.
    @nonexhaustive
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
      /// What S3 computes by itself: 8 bytes.
      case crc64NVME = "crc64nvme"
      /// Castagnoli: 4 bytes.
      case crc32C = "crc32c"
      /// As of gzip: 4 bytes.
      case crc32
      /// 32 bytes.
      case sha256
      /// 20 bytes.
      case sha1
    }

    /// How it is computed.
    public let algorithm: Algorithm
    /// The checksum.
    public let digest: [UInt8]
    /// The size of the object, in bytes.
    public let byteCount: Int

    /// The stage that checks every read against it: see `ReadPipeline.verifying(blockSize:digests:hash:)`. The block is the
    /// whole object: each read that reaches the stage reads all of it into memory. So it suits objects that you read
    /// as a whole, and that fit in memory.
    public var verifying: ReadPipeline {
      .verifying(blockSize: .bytes(max(1, byteCount)), digests: byteCount == 0 ? [] : [digest]) { [algorithm] bytes in
        algorithm.hash(bytes)
      }
    }

    /// The one that the head of an answer has; `nil` if there is none of the whole object.
    init?(_ fields: HeaderFields) {
      // A composite one is of the checksums of the parts: `value-3`, in older answers without a type.
      if let type = fields["x-amz-checksum-type"], type.uppercased() != "FULL_OBJECT" { return nil }
      guard let byteCount = fields["Content-Length"].flatMap({ Int($0) }) else { return nil }
      for algorithm in Algorithm.allCases {
        guard let text = fields["x-amz-checksum-\(algorithm.rawValue)"], let digest = Data(base64Encoded: text),
          digest.count == algorithm.byteCount
        else { continue }
        self.init(algorithm: algorithm, digest: Array(digest), byteCount: byteCount)
        return
      }
      return nil
    }

    init(algorithm: Algorithm, digest: [UInt8], byteCount: Int) {
      self.algorithm = algorithm
      self.digest = digest
      self.byteCount = byteCount
    }
  }

  extension S3Checksum.Algorithm {
    var byteCount: Int {
      switch self {
      case .crc64NVME: 8
      case .crc32C, .crc32: 4
      case .sha256: 32
      case .sha1: 20
      }
    }

    /// The checksum of `bytes`.
    func hash(_ bytes: Bytes) -> [UInt8] {
      func check(_ check: CyclicCheck) -> [UInt8] {
        var check = check
        bytes.forEachSpan { span in span.withUnsafeBytes { check.update($0) } }
        return check.finish()
      }
      func digest(_ hash: some HashFunction) -> [UInt8] {
        var hash = hash
        bytes.forEachSpan { span in span.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        return Array(hash.finalize())
      }
      return switch self {
      case .crc64NVME: check(.crc64NVME)
      case .crc32C: check(.crc32C)
      case .crc32: check(.crc32)
      case .sha256: digest(Crypto.SHA256())
      case .sha1: digest(Insecure.SHA1())
      }
    }
  }

  extension S3Authority {
    /// The checksum of the object; `nil` if the store has none of the whole object.
    nonisolated(nonsending) func checksum() async throws -> S3Checksum? {
      let region = region
      var url = try origin(in: region)
      if let version = target.address.versionID {
        url = try url.with(path: url.path, query: "versionId=\(ObjectURL.encodedQuery(version))")
      }
      var fields = try remote.signedFields()
      fields.set("x-amz-checksum-mode", "ENABLED")
      if target.requesterPays { fields.set("x-amz-request-payer", "requester") }
      var request = PreparedRequest(url: url, fields: fields)
      try await sign(&request, "HEAD", in: region)
      let answer = try await SmallExchange.send(
        method: "HEAD", url: request.url, fields: request.fields, timeout: .seconds(10), limit: 65_536,
        configuration: remote)
      guard answer.status == 200 else {
        throw ReadError(
          answer.status == 404 ? .notFound : .permissionDenied,
          "the store does not show the object's checksum: status \(answer.status): check that HEAD is permitted "
            + "(s3:GetObject)", isTransient: answer.status == 429 || answer.status >= 500)
      }
      return S3Checksum(answer.fields)
    }
  }

  extension RemoteConfiguration {
    /// The caller's headers that a signature covers, such as the key of an encrypted object.
    fileprivate func signedFields() throws -> HeaderFields {
      var fields = HeaderFields()
      for (name, value) in headers where name.lowercased().hasPrefix("x-amz-") { fields.set(name, value) }
      return fields
    }
  }

#endif
