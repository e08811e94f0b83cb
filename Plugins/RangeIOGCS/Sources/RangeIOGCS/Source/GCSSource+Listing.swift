#if GCS
  public import RangeIO
  public import RangeIORemote

  extension GCSSource {
    /// Lists the objects of a bucket whose names begin alike.
    ///
    /// ```swift
    /// for try await entry in GCSSource.listing("gs://planet/tiles/") { print(entry.name, entry.byteCount ?? 0) }
    /// ```
    ///
    /// Names begin after the last `/` of the prefix. They come byte for byte, in the order of the server; in each page
    /// objects come first. The version of an entry is its generation. A page has up to 1,000 names, and is one request.
    /// It needs `storage.objects.list`.
    ///
    /// - Parameters:
    ///   - url: `gs://bucket/prefix`, or `gs://bucket` for all of it.
    ///   - isRecursive: `true` lists all objects; `false`, the default, those up to the next `/`, and folders.
    ///   - configuration: how requests are made, as for reads.
    ///   - pipeline: the stages that each page is opened through. Default: `.retrying()`.
    public static func listing(
      _ url: String, isRecursive: Bool = false, configuration: Configuration = Configuration(),
      pipeline: ReadPipeline = .retrying()
    ) -> RemoteListing {
      listing(url, isRecursive: isRecursive, pipeline: pipeline) { GCSSource($0, configuration) }
    }

    static func listing(
      _ url: String, isRecursive: Bool = false, pageSize: Int? = nil, pipeline: ReadPipeline = .retrying(),
      of source: @escaping @Sendable (Result<GCSAddress, ReadError>) -> GCSSource
    ) -> RemoteListing {
      let place = Result { () throws(ReadError) in try GCSAddress.bucket(of: url) }
      // `try?`: an address that is wrong is told at the first use, as by a source.
      let prefix = (try? place.get().prefix) ?? ""
      let form = GCSListForm(place: ListedPrefix(prefix, isRecursive: isRecursive), pageSize: pageSize)
      return RemoteListing(ObjectURL.shown(url), form, pipeline: pipeline) { source(place.map(\.0)) }
    }
  }

#endif
