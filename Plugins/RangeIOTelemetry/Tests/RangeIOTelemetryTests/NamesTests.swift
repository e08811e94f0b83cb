#if Telemetry
  import Foundation
  import Logging
  import RangeIO
  import Testing

  @testable import RangeIOTelemetry

  /// The names in the code and those in the README.
  struct NamesTests {
    @Test func `the table in the README has all names, each with its kind and unit, and no others`() throws {
      let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md")
      let text = try String(contentsOf: readme, encoding: .utf8)
      let inTable: [[String]] = text.split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard line.hasPrefix("| `"), cells.count == 4, TelemetryName.Kind(rawValue: cells[1]) != nil else { return nil }
        return [cells[0].replacing("`", with: ""), cells[1], cells[2].replacing("`", with: "")]
      }
      let inCode = TelemetryName.all.map { [$0.text, $0.kind.rawValue, $0.unit] }
      #expect(Set(inTable) == Set(inCode))
      #expect(inTable.count == inCode.count)
    }

    @Test func `no name is used twice, and all but those of OpenTelemetry begin with rangeio`() {
      #expect(Set(TelemetryName.all.map(\.text)).count == TelemetryName.all.count)
      let others = TelemetryName.all.filter { !$0.text.hasPrefix("rangeio.") }.map(\.text)
      #expect(others == ["error.type", "file.path", "url.full"])
    }

    @Test func `names have lower-case words between dots, and no unit`() {
      for name in TelemetryName.all {
        #expect(name.text.allSatisfy { $0.isLowercase || $0 == "." || $0 == "_" }, "\(name.text)")
        #expect(!name.text.contains("bytes") && !name.text.hasSuffix(".total"), "\(name.text)")
      }
    }
  }

  struct SourceNameTests {
    @Test func `an absolute path is a file, a URL a URL, and the rest only a name`() {
      #expect(SourceName("/data/a.bin") == SourceName("/data/a.bin"))
      #expect(SourceName("/data/a.bin").key == .filePath)
      #expect(SourceName("s3://bucket/key").key == .url)
      #expect(SourceName("memory").key == .sourceName)
      #expect(SourceName("memory").value == "memory")
    }

    @Test func `nothing secret of a URL is passed on`() {
      let url = "https://me:secret@example.com/a;jsessionid=secret?sig=secret&versionId=1#secret"
      let shown = "https://example.com/a;…?versionId=1&…#…"
      let source = SourceDescription(id: "1", name: url, validator: nil, byteCount: 1)
      #expect(SourceName(source.name).value == shown && SourceName(source.name).key == .url)
      #expect(ReadError(.timedOut, "late", source: url).logMetadata["url.full"] == "\(shown)")
    }
  }

  struct ErrorTypeTests {
    @Test func `the type of an error is its code, cancelled, or the name of its type`() {
      struct Own: Error {}
      #expect(ErrorType.of(ReadError(.timedOut, "late")) == "timedOut")
      #expect(ErrorType.of(CancellationError()) == "cancelled")
      #expect(ErrorType.of(Own()).hasSuffix("Own"))
    }
  }
#endif
