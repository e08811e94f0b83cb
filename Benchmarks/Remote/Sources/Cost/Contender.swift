/// One way to read ranges of an object.
package protocol Contender: Sendable {
  /// Reads a range, and has ``Content`` look at it.
  func read(_ range: Range<Int>) async throws
  func close() async throws
}

/// What stands in the file.
package enum Content {
  /// Looks at the first and the last number: enough to see other bytes, and too little to be measured.
  package static func check(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    precondition(bytes.count == range.count, "\(bytes.count) bytes came of \(range.count)")
    for offset in [0, range.count - 8] {
      let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int.self)
      precondition(number == range.lowerBound + offset, "other bytes came than those of \(range)")
    }
  }
}
