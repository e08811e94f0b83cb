#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Addresses of objects as browsers and Google's console have them.
  enum GCSWebAddress {
    /// The hosts that have the bucket in the path. That of the console wants a login; the object is the same.
    private static let hosts = ["storage.googleapis.com", "storage.cloud.google.com"]
    /// What follows the bucket in a host.
    private static let suffix = ".storage.googleapis.com"

    /// `true` for an `https` address of Google's own servers that names an object and has no query but a generation: such
    /// an object is read with credentials. Others, such as signed URLs, are read as they are.
    static func names(_ url: String) -> Bool {
      // `try?`: what is no URL is not ours.
      guard url.prefix(8).lowercased() == "https://", let parsed = try? ObjectURL(url), isGoogle(parsed) else {
        return false
      }
      return parsed.queryItems.allSatisfy { $0.name == "generation" }
    }

    /// The object behind `url`.
    static func address(_ url: String) throws(ReadError) -> GCSAddress {
      let shown = ObjectURL.shown(url)
      let parsed: ObjectURL
      do { parsed = try ObjectURL(url) } catch { throw GCSAddress.invalid(error.message, shown) }
      guard isGoogle(parsed) else {
        throw GCSAddress.invalid(
          "this is no address of Google Cloud Storage: write gs://bucket/object, and name the server as the endpoint",
          shown)
      }
      var generation: Int64?
      for item in parsed.queryItems {
        guard item.name == "generation", let number = item.value.flatMap({ GCSAddress.number($0) }) else {
          throw GCSAddress.invalid(
            "the address has a query that is no generation: a signed URL is read as it is, by "
              + "RangeReader(gcs:) or the plugin RangeIOHTTP", shown)
        }
        generation = number
      }
      let (bucket, object) = names(of: parsed)
      do {
        return try GCSAddress(bucket: bucket, object: object, generation: generation)
      } catch {
        throw GCSAddress.invalid(error.message, shown)
      }
    }

    private static func isGoogle(_ url: ObjectURL) -> Bool {
      url.user == nil && url.effectivePort == 443 && (hosts.contains(url.host) || url.host.hasSuffix(suffix))
    }

    private static func names(of url: ObjectURL) -> (bucket: String, object: String) {
      let path = url.path.dropFirst()
      if url.host.hasSuffix(suffix) {
        return (String(url.host.dropLast(suffix.utf8.count)), PercentCoding.decoded(path))
      }
      // Encoded text is ASCII.
      let bucket = path.prefix { $0 != "/" }
      return (PercentCoding.decoded(bucket), PercentCoding.decoded(path[bucket.endIndex...].dropFirst()))
    }
  }

#endif
