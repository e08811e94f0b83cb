import SystemPackage

/// The beginning and end of a recording of a certain length. A file that grew still has them; a file that was cut and written again
/// hardly ever does.
struct AppendOnlyMark: Equatable {
  /// The number of bytes compared at each of the two places.
  static let span = 4096

  /// The length, and the times of the file at that length. The same values later mean that nothing has changed.
  let end: Int
  let modified: FileTime
  let changed: FileTime
  /// Digests of the first bytes and of the last bytes before `end`, with a key of this process.
  let first: Int
  let last: Int

  func isOf(_ status: FileStatus) -> Bool {
    status.size == end && status.modified == modified && status.changed == changed
  }

  static func firstRange(of end: Int) -> ByteRange { 0..<min(span, end) }
  static func lastRange(of end: Int) -> ByteRange { max(0, end - span)..<end }
}

/// Reads the bytes for marks.
struct RecordingMarker {
  /// Why there is no mark.
  enum Lack: Error {
    /// Reading would have to wait for the disk.
    case notResident
    /// The file has become shorter.
    case tooShort
    case failed(ReadError)
  }

  let file: OpenFile
  /// It may wait for the disk.
  let waits: Bool

  /// The mark of a file with `status`. Read after that status was taken.
  func mark(_ status: FileStatus) throws(Lack) -> AppendOnlyMark {
    AppendOnlyMark(
      end: status.size, modified: status.modified, changed: status.changed,
      first: try digest(AppendOnlyMark.firstRange(of: status.size)),
      last: try digest(AppendOnlyMark.lastRange(of: status.size)))
  }

  /// True if the file still holds what the mark describes.
  func finds(_ mark: AppendOnlyMark) throws(Lack) -> Bool {
    do throws(Lack) {
      let last = try digest(AppendOnlyMark.lastRange(of: mark.end))
      let first = try digest(AppendOnlyMark.firstRange(of: mark.end))
      return last == mark.last && first == mark.first
    } catch {
      guard case .tooShort = error else { throw error }
      return false
    }
  }

  private func digest(_ range: ByteRange) throws(Lack) -> Int {
    guard !range.isEmpty else { return 0 }
    let result = withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 16) { buffer -> Result<Int, Lack> in
      do throws(Errno) {
        let count =
          waits
          ? try file.syscalls.readFully(file.descriptor, buffer, at: range.lowerBound)
          : try file.syscalls.readWhatIsResident(file.descriptor, buffer, at: range.lowerBound)
        guard count == range.count else { return .failure(waits ? .tooShort : .notResident) }
      } catch {
        return .failure(.failed(file.failure(error, of: range)))
      }
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(buffer))
      return .success(hasher.finalize())
    }
    return try result.get()
  }
}
