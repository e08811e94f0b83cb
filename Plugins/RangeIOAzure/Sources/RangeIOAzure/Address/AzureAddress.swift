#if Azure
  public import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The name of a blob: its account, its container, its name and, if you want a certain one, its version or snapshot.
  ///
  /// ```swift
  /// let address = try AzureAddress("az://maps/tiles/2026.pmtiles")
  /// let old = try AzureAddress("az://maps/tiles/2026.pmtiles?versionid=2026-01-02T03:04:05.0000000Z")
  /// let url = try AzureAddress("https://maps.blob.core.windows.net/tiles/2026.pmtiles")
  /// ```
  public struct AzureAddress: Sendable {
    /// The storage account.
    public let account: String
    /// The container.
    public let container: String
    /// The name of the blob as it is: not encoded.
    public let blob: String
    /// The version to read. `nil`: the present one when the source is opened.
    public let versionID: String?
    /// The snapshot to read: its time, as the service wrote it. `nil`: no snapshot.
    public let snapshot: String?
    /// Where the address itself says that the blob is; `nil`: in the public cloud, or where the configuration says.
    let endpoint: BlobEndpoint?
    /// The signature that the URL came with. A secret.
    let sas: SASQuery?
    /// The address for errors and listings, without a secret.
    let name: String

    /// Parses an address.
    ///
    /// - `az://account/container/blob`: the name of the blob is taken as it is, byte by byte: `%20` is three characters, and
    ///   `?` and `#` belong to it. Only an ending `?versionid=…` or `?snapshot=…` does not.
    /// - `abfss://container@account.dfs.core.windows.net/blob`: the same; it is read through the blob service.
    /// - `https://account.blob.core.windows.net/container/blob`: a URL, percent-encoded, of any cloud, also with a shared
    ///   access signature. `http://127.0.0.1:10000/account/container/blob`: of an emulator.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(_ text: String) throws(ReadError) {
      do throws(ReadError) { self = try Self.parse(text) } catch {
        throw ReadError(error.code, error.message, source: ObjectURL.shown(text))
      }
    }

    /// Creates an address in the public cloud, or where the configuration says.
    ///
    /// - Parameters:
    ///   - account: the storage account, of small letters, digits and hyphens.
    ///   - container: the container, also `$root` or `$web`.
    ///   - blob: the blob's name, not encoded; at most 1,024 characters.
    ///   - versionID: the version to read. Default: the present one when the source is opened.
    ///   - snapshot: the snapshot to read. Default: none.
    /// - Throws: `ReadError` with `invalidConfiguration` for names that no blob can have.
    public init(
      account: String, container: String, blob: String, versionID: String? = nil, snapshot: String? = nil
    ) throws(ReadError) {
      try self.init(
        account, container, blob, BlobMoment(versionID: versionID, snapshot: snapshot), endpoint: nil, sas: nil,
        name: nil)
    }

    init(
      _ account: String, _ container: String, _ blob: String, _ moment: BlobMoment, endpoint: BlobEndpoint?,
      sas: SASQuery?, name: String?, isPrefix: Bool = false
    ) throws(ReadError) {
      guard Self.isName(account, also: "-", 63) else {
        throw Self.invalid("the account's name is not valid: it has small letters and digits")
      }
      guard Self.isName(container.hasPrefix("$") ? String(container.dropFirst()) : container, also: "-", 63) else {
        throw Self.invalid("the container's name is not valid: it has small letters, digits and hyphens")
      }
      guard isPrefix || !blob.isEmpty else {
        throw Self.invalid("the blob is missing: write az://account/container/blob")
      }
      guard blob.unicodeScalars.count <= 1_024 else {
        throw Self.invalid("the blob's name has more than 1,024 characters")
      }
      // Servers would look them up elsewhere, perhaps in another container. By bytes: a slash may be one character with what
      // follows it.
      let parts = blob.utf8.split(separator: UInt8(ascii: "/"))
      guard !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
        throw Self.invalid("the blob's name has a part '.' or '..', which no blob can have")
      }
      try moment.check()
      self.account = account
      self.container = container
      self.blob = blob
      versionID = moment.versionID
      snapshot = moment.snapshot
      self.endpoint = endpoint
      self.sas = sas
      self.name = name ?? "az://\(account)/\(container)/\(blob)\(moment.suffix)"
    }

    /// The version or snapshot.
    var moment: BlobMoment { BlobMoment(versionID: versionID, snapshot: snapshot) }

    static func invalid(_ text: String) -> ReadError { ReadError(.invalidConfiguration, text) }

    private static func isName(_ text: String, also mark: Unicode.Scalar, _ limit: Int) -> Bool {
      1...limit ~= text.utf8.count
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
          default: byte == UInt8(ascii: mark)
          }
        }
    }
  }

  extension AzureAddress: Hashable {
    /// The parts that name the blob, byte by byte: `é` as one character and as two are different names.
    private var key: [[UInt8]] {
      [account, container, blob, versionID ?? "", snapshot ?? "", endpoint?.text ?? ""].map { Array($0.utf8) }
    }

    /// Compares byte by byte. A signature in the URL does not count.
    public static func == (a: AzureAddress, b: AzureAddress) -> Bool { a.key == b.key }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  extension AzureAddress: CustomStringConvertible, CustomReflectable {
    /// The address, without a signature.
    public var description: String { name }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
