/// A file that only grows, shared by all sources in the process that have it open. It ends when one of them sees it cut
/// or rewritten, or when the last one closes it. What then has the same inode is another recording, however long it is.
final class AppendOnlyFile: Sendable {
  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct Entry {
    let number: UInt64
    weak var recording: AppendOnlyFile?
  }

  private struct Table {
    var entries: [Place: Entry] = [:]
    var lastNumber: UInt64 = 0
  }

  private struct Seen {
    var mark: AppendOnlyMark?
    var hasEnded = false
  }

  private static let table = Locked(Table())

  /// Never used for another recording.
  let number: UInt64
  private let place: Place
  private let seen = Locked(Seen())

  private init(_ number: UInt64, _ place: Place) { (self.number, self.place) = (number, place) }

  deinit {
    Self.table.withLock { [place, number] table in
      if table.entries[place]?.number == number { table.entries[place] = nil }
    }
  }

  /// The recording in the file that `status` belongs to.
  static func of(_ status: FileStatus) -> AppendOnlyFile {
    current(Place(device: status.device, inode: status.inode), after: nil)
  }

  /// The recording that follows this one, which has ended.
  var next: AppendOnlyFile { Self.current(place, after: number) }

  private static func current(_ place: Place, after number: UInt64?) -> AppendOnlyFile {
    table.withLock { table in
      if let known = table.entries[place]?.recording, known.number != number { return known }
      table.lastNumber += 1
      let new = AppendOnlyFile(table.lastNumber, place)
      table.entries[place] = Entry(number: new.number, recording: new)
      return new
    }
  }

  /// True if `status` belongs to the file of this recording.
  func isIn(_ status: FileStatus) -> Bool { status.device == place.device && status.inode == place.inode }

  /// `true` once the file was seen cut or rewritten.
  var hasEnded: Bool { seen.withLock { $0.hasEnded } }

  /// The mark of the last comparison; `nil` before the first one.
  var mark: AppendOnlyMark? { seen.withLock { $0.mark } }

  /// True if the recording goes on and `status` is the same as at the last comparison.
  func isSame(_ status: FileStatus) -> Bool {
    seen.withLock { !$0.hasEnded && $0.mark?.isOf(status) ?? false }
  }

  /// The file was seen cut or rewritten.
  func end() { seen.withLock { $0.hasEnded = true } }

  /// The file was compared with `old` and found to hold those bytes and more.
  ///
  /// Other tasks may have compared it in between: the longer mark wins.
  func advance(from old: AppendOnlyMark?, to new: AppendOnlyMark) {
    seen.withLock { seen in
      guard let mark = seen.mark else {
        seen.mark = new
        return
      }
      // Two marks made after the same earlier mark are both good. A mark without an earlier one must first be compared.
      if old != nil, mark == old || mark.end < new.end { seen.mark = new }
    }
  }
}

extension AppendOnlyFile {
  /// The most reads that may find the file shorter than its status said before. Each time it may have been cut in between.
  private static let maxShortReads = 8

  /// Compares the file with what is known of this recording. Ends the recording if the file does not hold it and
  /// possibly more. Returns the file's status; `nil` if the recording has ended.
  func compare(
    _ marker: RecordingMarker, isClosed: () -> Bool = { false }
  ) throws(RecordingMarker.Lack) -> FileStatus? {
    var shortReads = 0
    while !hasEnded {
      if isClosed() { throw .failed(.closed) }
      // Known before the status is taken: a file that is shorter then was cut.
      let before = mark
      let status: FileStatus
      do throws(ReadError) { status = try marker.file.status() } catch { throw .failed(error) }
      // The file was closed early in between, because another file is read now.
      guard isIn(status) else { return nil }
      if let before {
        if before.isOf(status) { return hasEnded ? nil : status }
        guard status.size >= before.end else {
          end()
          return nil
        }
      }
      do throws(RecordingMarker.Lack) {
        // Take the new mark first. If the bytes of the old mark are still there after that, both marks belong to one
        // recording.
        let now = try marker.mark(status)
        if let before, try !marker.finds(before) {
          end()
          return nil
        }
        advance(from: before, to: now)
        // A mark without an earlier one is compared with what another task found in between.
        if before != nil { return hasEnded ? nil : status }
      } catch {
        // Cut since the status was taken: the next one shows it.
        guard case .tooShort = error else { throw error }
        shortReads += 1
        if shortReads >= Self.maxShortReads {
          throw .failed(
            ReadError(
              .inputOutput, "the file ends before the \(status.size) bytes that it says it has: try again",
              isTransient: true, context: marker.file.context(AppendOnlyMark.lastRange(of: status.size))))
        }
      }
    }
    return nil
  }
}
