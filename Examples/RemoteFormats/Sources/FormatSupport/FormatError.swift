/// Why the contents of a file cannot be used. Errors of reading it are RangeIO's `ReadError`.
package struct FormatError: Error, Equatable, CustomStringConvertible {
  package enum Code: Equatable, Sendable {
    /// The bytes break the rules of the format.
    case damaged
    /// The file is right, and these programs do not know a feature that it uses.
    case unsupported
    /// Something is larger than these programs take from a file that they do not trust.
    case tooLarge
    /// The file has nothing under this name.
    case notFound
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package static func damaged(_ message: String) -> FormatError { FormatError(.damaged, message) }
  package static func unsupported(_ message: String) -> FormatError { FormatError(.unsupported, message) }
  package static func tooLarge(_ message: String) -> FormatError { FormatError(.tooLarge, message) }
  package static func notFound(_ message: String) -> FormatError { FormatError(.notFound, message) }

  package var description: String { message }
}
