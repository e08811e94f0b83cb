#if Serve
  internal import RangeIO
  internal import RangeIORemote

  extension ServedItem.Listing {
    /// The names of `listing` that come after `name`, as many as one answer should have.
    ///
    /// - Parameter isTop: an empty list is one, not a folder that is missing.
    /// - Throws: as the listing; `ReadError` with `notFound` for a folder without names.
    init(_ listing: RemoteListing, after name: ServedName?, isTop: Bool) async throws {
      self.init([])
      var isEmpty = true
      for try await page in listing.pages {
        isEmpty = isEmpty && page.entries.isEmpty
        for entry in page.entries where name.map({ $0.bytes.lexicographicallyPrecedes(entry.nameBytes) }) ?? true {
          let bytes = entry.isFolder ? Array(entry.nameBytes.dropLast()) : entry.nameBytes
          let served = ServedName(bytes: bytes)
          guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), served.isServed, served.bytes != name?.bytes else {
            continue
          }
          entries.append(
            ServedItem.Entry(
              name: served, byteCount: entry.byteCount, modifiedSecondsSince1970: entry.modified?.secondsSince1970,
              isDirectory: entry.isFolder))
        }
        guard entries.count < DirectoryUpstream.maxEntries else {
          isCut = page.next != nil
          break
        }
      }
      guard isTop || !isEmpty || name != nil else { throw ReadError.nothingServed }
      // Some servers list objects before folders.
      entries.sort { $0.listed.lexicographicallyPrecedes($1.listed) }
    }
  }

  extension ServedItem.Entry {
    /// The name as stores sort it.
    fileprivate var listed: [UInt8] { isDirectory ? name.bytes + [UInt8(ascii: "/")] : name.bytes }
  }
#endif
