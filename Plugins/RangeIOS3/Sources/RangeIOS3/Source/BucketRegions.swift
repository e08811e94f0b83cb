#if S3
  internal import RangeIOSupport

  /// The regions that buckets turned out to be in, for all sources of the process.
  final class BucketRegions: Sendable {
    private struct Bucket: Hashable {
      var endpoint: S3Endpoint
      var name: String
    }
    private let regions = Guarded<[Bucket: String]>([:])

    /// The most buckets that are remembered. More, and all are forgotten: each is found again by one request.
    private static let maxBuckets = 1_024

    static let shared = BucketRegions()

    /// Where the bucket is; `nil` if no server has said so yet.
    func region(of bucket: String, at endpoint: S3Endpoint) -> String? {
      regions.withLock { $0[Bucket(endpoint: endpoint, name: bucket)] }
    }

    /// Remembers where the bucket is.
    func learn(_ region: String, of bucket: String, at endpoint: S3Endpoint) {
      regions.withLock { regions in
        if regions.count >= Self.maxBuckets { regions.removeAll() }
        regions[Bucket(endpoint: endpoint, name: bucket)] = region
      }
    }
  }

#endif
