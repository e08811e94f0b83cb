#if HTTP
  public import RangeIO

  extension RemoteListing {
    /// Lists a directory of a web server by its index: of nginx (`autoindex`, HTML or JSON), Apache (`mod_autoindex`)
    /// and `rangeio serve`. Where there is no index it asks by WebDAV, with a second request.
    ///
    /// A size is there only if the server writes it to the byte, a time only with its zone. Lists no folder within:
    /// list that by its own URL.
    ///
    /// - Parameters:
    ///   - url: the directory; a `/` is added to its path if there is none.
    ///   - configuration: how it is requested, as for reads.
    ///   - pipeline: the stages that each page is opened through. Default: `.retrying()`.
    public static func directory(
      _ url: String, configuration: RemoteConfiguration = RemoteConfiguration(), pipeline: ReadPipeline = .retrying()
    ) -> RemoteListing {
      var configuration = configuration
      if !configuration.headers.contains(where: { $0.0.lowercased() == "accept" }) {
        configuration.headers.append(("Accept", WebListForm.accept))
      }
      return web(url, WebListForm(), configuration, pipeline)
    }

    /// Lists a directory by WebDAV (RFC 4918, PROPFIND with `Depth: 1`), whether or not there is an index too: with
    /// exact sizes, dates, and tags as versions.
    ///
    /// - Parameters:
    ///   - url: the directory; a `/` is added to its path if there is none.
    ///   - configuration: how it is requested, as for reads.
    ///   - pipeline: the stages that the page is opened through. Default: `.retrying()`.
    public static func webDAV(
      _ url: String, configuration: RemoteConfiguration = RemoteConfiguration(), pipeline: ReadPipeline = .retrying()
    ) -> RemoteListing {
      web(url, WebDAVListForm(), configuration, pipeline)
    }

    private static func web(
      _ url: String, _ form: some ListingForm, _ configuration: RemoteConfiguration, _ pipeline: ReadPipeline
    ) -> RemoteListing {
      RemoteListing(ObjectURL.shown(url), form, pipeline: pipeline) { () throws(ReadError) in
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
        let slash = url.utf8[..<end].last == UInt8(ascii: "/") ? "" : "/"
        return try RemoteObject(url[..<end] + slash + url[end...], configuration: configuration)
      }
    }
  }
#endif
