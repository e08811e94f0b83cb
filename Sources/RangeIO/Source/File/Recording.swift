import Synchronization

/// A file that is only ever added to, as all sources of the process know it that have it open: until one of them sees it
/// cut short, or nobody has it open any more. What is there then under the same inode is another recording, however long.
final class Recording: Sendable {
  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct Entry {
    let number: UInt64
    weak var recording: Recording?
  }

  private struct Table {
    var entries: [Place: Entry] = [:]
    var lastNumber: UInt64 = 0
  }

  private struct Seen {
    var largest = 0
    var isCut = false
  }

  private static let table = Locked(Table())

  /// Never given to another.
  let number: UInt64
  private let place: Place
  private let seen = Locked(Seen())

  private init(_ number: UInt64, _ place: Place) { (self.number, self.place) = (number, place) }

  deinit {
    Self.table.withLock { [place, number] table in
      if table.entries[place]?.number == number { table.entries[place] = nil }
    }
  }

  /// The recording in the file that `status` is of.
  static func of(_ status: FileStatus) -> Recording {
    current(Place(device: status.device, inode: status.inode), after: nil)
  }

  /// The recording that came after this one, which was cut.
  var next: Recording { Self.current(place, after: number) }

  private static func current(_ place: Place, after number: UInt64?) -> Recording {
    table.withLock { table in
      if let known = table.entries[place]?.recording, known.number != number { return known }
      table.lastNumber += 1
      let new = Recording(table.lastNumber, place)
      table.entries[place] = Entry(number: new.number, recording: new)
      return new
    }
  }

  /// The largest size that was seen so far: to be asked before a look.
  var largest: Int { seen.withLock { $0.largest } }

  /// A look has seen `size`.
  ///
  /// - Parameter before: ``largest`` from before the look: looks at once may come back in any order, and only one that
  ///   began after another came back has seen what came after.
  /// - Returns: false if this recording was cut short, now or before.
  func sees(_ size: Int, since before: Int) -> Bool {
    seen.withLock { seen in
      seen.isCut = seen.isCut || size < before
      seen.largest = max(seen.largest, size)
      return !seen.isCut
    }
  }
}

/// The version of a file that is only ever added to: which recording it is, and how long.
struct RecordingVersion: SourceValidator {
  let recording: UInt64
  let size: Int

  /// Longer is the same and more.
  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? RecordingVersion, newer.recording == recording else { return .other }
    return newer.size == size ? .same : newer.size > size ? .extends : .other
  }
}
