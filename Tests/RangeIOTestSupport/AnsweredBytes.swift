@testable import RangeIO

extension PieceLoader {
  /// The bytes of the piece, if it is loaded without waiting and is not lost.
  var answeredBytes: Bytes? { answer().value ?? nil }
}
