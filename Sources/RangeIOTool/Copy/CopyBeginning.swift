#if Tool
import RangeIO

/// The start of a copy: with what an earlier run has left, or anew. A value: decided by what the journal says.
enum CopyBeginning: Equatable {
  /// There is nothing, or the user does not want it.
  case new
  /// The journal is one of this version, with these checksums of pieces.
  case goOn(CopyJournal.Identity, sums: [Int: UInt32])
  /// There is something that is of no use.
  case startOver(Reason)

  enum Reason: String {
    case changed = "the source has changed since an earlier copy was interrupted"
    case otherSource = "what an earlier copy has left is of another source"
    case damaged = "the journal of an earlier copy is damaged"
    case unversioned = "the source has no version by which what an earlier copy has left could be trusted"
  }

  /// - Parameters:
  ///   - journal: what is in the journal; empty if there is none, and the magic alone if it notes nothing.
  ///   - wanted: what is copied; `nil` if its version cannot be recognized later.
  ///   - restarts: whether the user wants to start over.
  init(_ journal: [UInt8], wanted: CopyJournal.Identity?, restarts: Bool) {
    guard !journal.isEmpty, journal != CopyJournal.magic, !restarts else {
      self = .new
      return
    }
    guard let found = CopyJournal.identity(journal) else {
      self = .startOver(.damaged)
      return
    }
    guard let wanted else {
      self = .startOver(.unversioned)
      return
    }
    guard found.source == wanted.source else {
      self = .startOver(.otherSource)
      return
    }
    guard found.version == wanted.version, found.layout.byteCount == wanted.layout.byteCount else {
      self = .startOver(.changed)
      return
    }
    // In the pieces of the journal, which another version of this program may have made larger or smaller.
    self = .goOn(found, sums: CopyJournal.sums(journal, of: found))
  }
}
#endif
