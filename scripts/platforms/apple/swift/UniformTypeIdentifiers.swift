// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's framework UniformTypeIdentifiers that this package uses. Nothing here runs.

public struct UTType: Hashable, Sendable {
  public init?(mimeType: String, conformingTo supertype: UTType = .data) { nil }
  public var identifier: String { fatalError("only for type checks") }
  public var preferredFilenameExtension: String? { nil }
  public static var data: UTType { fatalError("only for type checks") }
}
