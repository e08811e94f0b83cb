public import RangeIO
internal import RangeIOSupport

/// Lists as S3 does, and stores that speak its protocol, Google's among them: ListObjectsV2.
///
/// - Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
public struct ObjectListForm: ListingForm {
  private let place: ListedPrefix
  private let pageSize: Int?

  /// Creates a form.
  ///
  /// - Parameters:
  ///   - place: what is listed.
  ///   - pageSize: the most entries of a page. Default: the server's, mostly 1,000.
  public init(_ place: ListedPrefix, pageSize: Int? = nil) {
    self.place = place
    self.pageSize = pageSize
  }

  /// The URL of the bucket, with the query that asks for the page.
  public func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL {
    // Names may have characters that XML cannot have.
    var items = [("list-type", "2"), ("encoding-type", "url"), ("prefix", place.prefix)]
    if !place.isRecursive { items.append(("delimiter", "/")) }
    if let pageSize { items.append(("max-keys", "\(pageSize)")) }
    if let token { items.append(("continuation-token", token)) }
    return try base.asking(items)
  }

  /// The page of a `ListBucketResult`.
  public func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
    let records = try XMLRecords(body, root: "ListBucketResult", of: ["Contents", "CommonPrefixes"])
    let isEncoded = records.outside.text("EncodingType") == "url"
    var page = ListingPage()
    for record in records.all {
      let isFolder = record.name == "CommonPrefixes"
      guard let name = record.fields[isFolder ? "Prefix" : "Key"] else {
        throw ReadError(.invalidResponse, "the server lists something without a name: check the endpoint")
      }
      page.entries.append(
        ListedEntry(
          nameBytes: try place.below(isEncoded ? Self.decoded(name) : name), isFolder: isFolder,
          byteCount: record.text("Size").flatMap { HTTPText.number($0) },
          version: record.text("Generation") ?? record.text("ETag").map { ListedEntry.tag($0) },
          modified: record.text("LastModified").flatMap { ListedEntry.date($0) }))
    }
    // As XML Schema writes what is true, and as some servers do.
    guard ["true", "1"].contains(records.outside.text("IsTruncated")?.lowercased()) else { return page }
    guard let token = records.outside.text("NextContinuationToken"), !token.isEmpty else {
      throw ReadError(
        .invalidResponse,
        "the server has more names, and does not say how to ask for them: it may not know version 2 of "
          + "ListObjects")
    }
    page.next = token
    return page
  }

  /// In this encoding a space is a plus sign.
  private static func decoded(_ name: [UInt8]) -> [UInt8] {
    PercentCoding.decoded(bytes: name.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}
