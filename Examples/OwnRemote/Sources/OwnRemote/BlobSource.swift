import RangeIO
import RangeIORemote

/// Reads a blob of Azure's Blob service, in ranges.
///
/// ```swift
/// let account = try BlobAccount("maps", key: key)
/// let reader = try await RangeReader(BlobSource("2026/planet.pmtiles", in: "tiles", of: account), .remoteObject(.init()))
/// ```
final class BlobSource: RemoteSource {
  let object: RemoteObject
  var openedObject: RemoteObject? { object }

  /// The blob called `name`. The first use connects, not this call.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`.
  init(
    _ name: String, in container: String, of account: BlobAccount,
    configuration: RemoteConfiguration = RemoteConfiguration()
  ) throws {
    let url = try ObjectURL("\(account.endpoint)/\(ObjectURL.encodedPath("\(container)/\(name)"))")
    object = try RemoteObject(
      url, name: "\(account.name):\(container)/\(name)", configuration: configuration, authority: account)
  }
}
