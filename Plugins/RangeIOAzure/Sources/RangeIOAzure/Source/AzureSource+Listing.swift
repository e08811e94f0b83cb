#if Azure
  public import RangeIO
  public import RangeIORemote

  extension AzureSource {
    /// Lists the blobs of a container whose names begin alike.
    ///
    /// ```swift
    /// for try await entry in AzureSource.listing("az://maps/tiles/2026/") { print(entry.name, entry.byteCount ?? 0) }
    /// ```
    ///
    /// Names begin after the last `/` of the prefix. They come byte for byte, in the order of the service. A page has
    /// up to 5,000 names, and is one request. A shared access signature must be one of the container, with the
    /// permission to list.
    ///
    /// - Parameters:
    ///   - address: that of a container (`az://account/container`), also with what the names of blobs begin with; or in the
    ///     other forms of ``AzureAddress``.
    ///   - isRecursive: `true` lists all blobs; `false`, the default, those up to the next `/`, and folders.
    ///   - configuration: how requests are made, as for reads.
    ///   - pipeline: the stages that each page is opened through. Default: `.retrying()`.
    public static func listing(
      _ address: String, isRecursive: Bool = false, configuration: Configuration = Configuration(),
      pipeline: ReadPipeline = .retrying()
    ) -> RemoteListing {
      listing(address, isRecursive: isRecursive, pipeline: pipeline) { AzureSource($0, configuration, .process()) }
    }

    static func listing(
      _ text: String, isRecursive: Bool = false, pageSize: Int? = nil, pipeline: ReadPipeline = .retrying(),
      of source: @escaping @Sendable (Result<AzureAddress, ReadError>) -> AzureSource
    ) -> RemoteListing {
      let place = Result { () throws(ReadError) in try AzureAddress.container(of: text) }
      // `try?`: an address that is wrong is told at the first use, as by a source.
      let prefix = (try? place.get().prefix) ?? ""
      let form = BlobListForm(place: ListedPrefix(prefix, isRecursive: isRecursive), pageSize: pageSize)
      return RemoteListing(ObjectURL.shown(text), form, pipeline: pipeline) { source(place.map(\.0)) }
    }
  }

#endif
