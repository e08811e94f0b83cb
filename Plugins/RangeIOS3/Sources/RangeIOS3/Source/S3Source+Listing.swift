#if S3
  public import RangeIO
  public import RangeIORemote
  internal import RangeIOSupport

  extension S3Source {
    /// Lists the objects of a bucket whose keys begin alike.
    ///
    /// ```swift
    /// for try await entry in S3Source.listing("s3://planet/tiles/") { print(entry.name, entry.byteCount ?? 0) }
    /// ```
    ///
    /// Names begin after the last `/` of the prefix, and come byte for byte. The order is that of the server: for S3
    /// that of the bytes. A page has up to 1,000 names, and is one request. It needs `s3:ListBucket`.
    ///
    /// - Parameters:
    ///   - url: `s3://bucket/prefix`, or `s3://bucket` for all of it.
    ///   - isRecursive: `true` lists all objects; `false`, the default, those up to the next `/`, and folders.
    ///   - configuration: how requests are made, as for reads.
    ///   - pipeline: the stages that each page is opened through. Default: `.retrying()`.
    public static func listing(
      _ url: String, isRecursive: Bool = false, configuration: Configuration = Configuration(),
      pipeline: ReadPipeline = .retrying()
    ) -> RemoteListing {
      listing(url, isRecursive: isRecursive, pipeline: pipeline) { S3Source($0, configuration) }
    }

    static func listing(
      _ url: String, isRecursive: Bool = false, pageSize: Int? = nil, pipeline: ReadPipeline = .retrying(),
      of source: @escaping @Sendable (Result<S3Address, ReadError>) -> S3Source
    ) -> RemoteListing {
      let place = Result { () throws(ReadError) in try S3Address.bucket(of: url) }
      // `try?`: an address that is wrong is told at the first use, as by a source.
      let prefix = (try? place.get().prefix) ?? ""
      let form = ObjectListForm(ListedPrefix(prefix, isRecursive: isRecursive), pageSize: pageSize)
      return RemoteListing(ObjectURL.shown(url), form, pipeline: pipeline) { source(place.map(\.0)) }
    }
  }

#endif
