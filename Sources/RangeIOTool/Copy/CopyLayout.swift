#if Tool
import RangeIO

/// The pieces of a copy. Each has a checksum, and is noted in the journal when it is there.
struct CopyLayout: Equatable {
  let byteCount: Int
  /// A power of two. The last piece may be shorter.
  let pieceSize: Int

  static let minPieceSize = 64 << 10
  /// Bounds what a kill costs: one part of a piece for each request in flight.
  static let maxPieceSize = 1 << 20
  /// With so many pieces, few of all are in flight at a kill.
  private static let wantedPieces = 16_384

  /// Cuts `byteCount` bytes into pieces of the best size.
  init(byteCount: Int) {
    var size = Self.minPieceSize
    while size < Self.maxPieceSize, size < byteCount / Self.wantedPieces { size *= 2 }
    self.init(byteCount: byteCount, pieceSize: size)
  }

  init(byteCount: Int, pieceSize: Int) {
    self.byteCount = byteCount
    self.pieceSize = pieceSize
  }

  var pieceCount: Int { byteCount / pieceSize + (byteCount % pieceSize == 0 ? 0 : 1) }

  /// The bytes of consecutive pieces.
  func range(of pieces: Range<Int>) -> ByteRange {
    // The end of the last piece may be past the largest number.
    let upper = pieces.upperBound == pieceCount ? byteCount : pieces.upperBound * pieceSize
    return pieces.lowerBound * pieceSize..<max(upper, pieces.lowerBound * pieceSize)
  }

  /// The number of bytes in `pieces`.
  func byteCount(of pieces: some Sequence<Range<Int>>) -> Int { pieces.reduce(0) { $0 + range(of: $1).count } }
}

/// The sizes of a copy's requests, and their number at a time.
struct CopyRequests: Equatable {
  /// The most requests at the same time.
  var parallel: Int
  /// The smallest request in bytes, unless less is left.
  var least: Int
  /// The largest request in bytes.
  var most: Int

  /// The most bytes that a copy holds in memory, over all requests.
  static let memory = 64 << 20
  static let maxParallel = 64

  /// Requests whose bytes are written as they arrive. Long ones, because each costs a round trip, and nothing is lost
  /// if one is cut. The last ones are short, so that no connection is left with much when the others are done.
  static func arriving(_ parallel: Int) -> CopyRequests {
    CopyRequests(parallel: parallel, least: 256 << 10, most: 128 << 20)
  }

  /// Requests whose bytes are held in memory until the last is there. What a kill costs is all of them.
  ///
  /// - Parameter isFar: whether a request costs a round trip.
  static func whole(_ parallel: Int, of layout: CopyLayout, isFar: Bool) -> CopyRequests {
    let limit = max(memory / parallel, layout.pieceSize)
    guard isFar else {
      // Ten kills cost at most one part in two hundred.
      let most = min(max(layout.byteCount / (2000 * parallel), layout.pieceSize), limit)
      return CopyRequests(parallel: parallel, least: layout.pieceSize, most: most)
    }
    return CopyRequests(parallel: parallel, least: min(1 << 20, limit), most: min(2 << 20, limit))
  }

  /// The same with requests so short that a limit of `bytesPerSecond` is kept evenly: four a second and more.
  func limited(to bytesPerSecond: Int) -> CopyRequests {
    let most = min(self.most, max(1, bytesPerSecond / 4))
    return CopyRequests(parallel: parallel, least: min(least, most), most: most)
  }

  /// The number of pieces in each of the next ``parallel`` requests, if `missing` bytes have not been requested.
  ///
  /// Together these requests take three quarters of what is left, so that all connections end at about the same time
  /// without many round trips (factoring; S. F. Hummel, E. Schonberg and L. E. Flynn, Communications of the ACM 35:8,
  /// 1992, which takes half).
  func pieces(missing: Int, pieceSize: Int) -> Int {
    let share = missing / 4 * 3 / parallel
    let wanted = min(max(share, least), most)
    return max(1, wanted / pieceSize)
  }
}
#endif
