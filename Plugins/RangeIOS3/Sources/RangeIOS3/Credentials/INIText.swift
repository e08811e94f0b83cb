#if S3

  /// Text of sections with settings, as the AWS tools read it.
  enum INIText {
    /// The settings of each section. Section names are without brackets, quotes and extra space; of two sections of one
    /// name, the later settings count. A line that is indented deeper than the setting above belongs to that: below a setting
    /// without a value it is a setting of it, such as `s3.endpoint_url`. Other such lines are left out, as are lines that make
    /// no sense. A mark of the order of bytes may stand before all.
    static func sections(of text: String) -> [String: [String: String]] {
      var sections: [String: [String: String]] = [:]
      var section: String?
      var outer: String?
      // That of the setting above.
      var indent: Int?
      let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
      for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
        let content = line.drop(while: isSpace)
        let depth = line.count - content.count
        guard let first = content.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
        if let indent, depth > indent {
          if let section, let outer, let (name, value) = setting(content, "=") {
            sections[section, default: [:]]["\(outer).\(name)"] = value
          }
          continue
        }
        if first == UInt8(ascii: "[") {
          let name = content.dropFirst().prefix { $0 != UInt8(ascii: "]") }
          // A section that never ends is none, and what follows belongs to nothing.
          section = name.endIndex < content.endIndex ? sectionName(name) : nil
          (outer, indent) = (nil, nil)
          if let section { sections[section, default: [:]] = sections[section] ?? [:] }
          continue
        }
        guard let section, let (name, value) = setting(content, "=:") else { continue }
        (outer, indent) = (value.isEmpty ? name : nil, depth)
        sections[section, default: [:]][name] = value
      }
      return sections
    }

    /// What stands before and after the first of `marks`; `nil` if there is none.
    private static func setting(_ line: Substring.UTF8View, _ marks: String) -> (name: String, value: String)? {
      guard let mark = line.firstIndex(where: { marks.utf8.contains($0) }) else { return nil }
      return (
        String(decoding: trimmed(line[..<mark]), as: UTF8.self).lowercased(),
        String(decoding: trimmed(line[line.index(after: mark)...]), as: UTF8.self)
      )
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
