import Foundation
import Testing

@testable import RangeIOTestSupport

/// What the guide to writing a codec shows is what the example builds and runs.
@Suite struct CodecGuideTests {
  @Test(arguments: [
    ("swift", "ZstdCodec/ZstdCodec.swift"), ("c", "CZstd/module.modulemap"), ("c", "CZstd/shim.h"),
  ])
  func `the guide shows the source of the example`(language: String, path: String) throws {
    let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let guide = try String(contentsOfFile: package + "/Docs/Guides/WritingACodec.md", encoding: .utf8)
    let source = try String(contentsOfFile: package + "/Examples/ZstdCodec/Sources/" + path, encoding: .utf8)
    #expect(guide.contains("```\(language)\n\(source)```\n"))
  }
}
