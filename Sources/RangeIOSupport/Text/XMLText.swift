/// Finds the text of elements in a small XML document. No parser: it knows no nesting, which the documents that it is
/// used for do not need, and an error answer may be cut anywhere.
public enum XMLText {
  /// The text of the first element called `name`, with its entities replaced, as one line. Not shortened: a secret that was cut
  /// in two would not be found in it.
  public static func first(_ name: String, in body: [UInt8]) -> String? {
    guard let start = contents(after: "<\(name)>", body) else { return nil }
    let raw = body[start...].prefix { $0 != UInt8(ascii: "<") }
    let words = replacingEntities(raw).split { $0 <= 32 || $0 == 127 }
    return String(decoding: Array(words.joined(separator: [32])), as: UTF8.self)
  }

  /// `true` for text that may name a region or an error. It goes into hosts and messages, so nothing else passes.
  public static func isName(_ text: String) -> Bool {
    1...64 ~= text.utf8.count
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  private static func contents(after tag: String, _ body: [UInt8]) -> Int? {
    let tag = Array(tag.utf8)
    guard body.count >= tag.count else { return nil }
    for start in 0...body.count - tag.count where body[start] == tag[0] {
      if body[start...].starts(with: tag) { return start + tag.count }
    }
    return nil
  }
}
