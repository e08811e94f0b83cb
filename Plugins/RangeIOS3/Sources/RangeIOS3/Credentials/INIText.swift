#if S3

  /// Text of sections with settings, as the AWS tools read it.
  enum INIText {
    /// The settings of each section. Section names are without brackets, quotes and extra space; of two sections of one
    /// name, the later settings count. Indented lines below a setting without a value are settings of it, such as
    /// `s3.endpoint_url`. Other indented lines are left out, as are lines that make no sense.
    static func sections(of text: String) -> [String: [String: String]] {
      var sections: [String: [String: String]] = [:]
      var section: String?
      var outer: String?
      for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
        guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
        if first == UInt8(ascii: "[") {
          let name = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }
          // A section that never ends is none, and what follows belongs to nothing.
          section = name.endIndex < line.endIndex ? sectionName(name) : nil
          outer = nil
          if let section { sections[section, default: [:]] = sections[section] ?? [:] }
          continue
        }
        guard let section, let mark = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
        var name = String(decoding: trimmed(line[..<mark]), as: UTF8.self).lowercased()
        let value = String(decoding: trimmed(line[line.index(after: mark)...]), as: UTF8.self)
        if isSpace(first) {
          guard let outer else { continue }
          name = "\(outer).\(name)"
        } else {
          outer = value.isEmpty ? name : nil
        }
        sections[section, default: [:]][name] = value
      }
      return sections
    }

    private static func sectionName(_ text: Substring.UTF8View) -> String {
      let words = text.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }.split(whereSeparator: isSpace)
      return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
      var text = text.drop(while: isSpace)
      while let last = text.last, isSpace(last) { text = text.dropLast() }
      return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
  }

#endif
