import RangeIO
import RangeIOSupport
import Testing

struct XMLElementsTests {
  /// Each element as `a/b=text`.
  private func walk(_ text: String) throws(XMLElements.Fault) -> [String] {
    var elements = XMLElements(Array(text.utf8))
    var all: [String] = []
    while let element = try elements.next() {
      let path = (element.enclosing + [element.name]).joined(separator: "/")
      all.append("\(path)=\(String(decoding: element.text, as: UTF8.self))")
    }
    return all
  }

  @Test func `elements are handed out where they end`() throws {
    #expect(
      try walk(
        "<?xml version='1.0'?><!-- <a> --><!DOCTYPE r><r x=\"1>2\"><a>1</a> <D:b xmlns:D='d'/><c><d>2</d></c></r>\n")
        == ["r/a=1", "r/b=", "r/c/d=2", "r/c=", "r="])
  }

  @Test func `text has its entities replaced, and CDATA as it is`() throws {
    #expect(
      try walk("<r>&amp;&lt;&gt;&quot;&apos;&#65;&#x42;&#x1F600;&other;&#xD800;&<![CDATA[<&amp;]]></r>")
        == ["r=&<>\"'AB\u{1F600}&other;&#xD800;&<&amp;"])
  }

  @Test(arguments: ["", " ", "<r>", "<r><a>1</a>", "<r", "<r x=\"", "<r><!-- ", "<r><![CDATA[x", "<?xml"])
  func `what breaks off is cut`(text: String) {
    #expect(throws: XMLElements.Fault.cut) { try walk(text) }
  }

  @Test(arguments: ["<r></a>", "</r>", "<>", "<r><a></r></a>", "<r/><r/>", "<r <a>"]) func `what is no XML`(
    text: String
  ) {
    #expect(throws: XMLElements.Fault.malformed) { try walk(text) }
  }

  @Test func `depth is bounded`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(try walk(nested(64)).count == 64)
    #expect(throws: XMLElements.Fault.malformed) { try walk(nested(65)) }
  }

  @Test func `no prefix of a document is taken for all of it`() throws {
    let text = "<r><a b='c'>&amp;</a><!-- x --><c/></r>"
    for count in 0..<text.utf8.count {
      #expect(throws: XMLElements.Fault.self) { try walk(String(text.prefix(count))) }
    }
  }

  @Test func `records have their own fields`() throws {
    let text = "<r><t>0</t><i><n Encoded=\"true\">1</n><p><t>2</t></p></i><i/><u>3</u></r>"
    let records = try XMLRecords(Array(text.utf8), root: "r", of: ["i"])
    #expect(records.all.map { $0.text("n") } == ["1", nil])
    #expect(records.all[0].text("t") == "2" && records.all[0].encoded == ["n"])
    #expect(records.outside.text("t") == "0" && records.outside.text("u") == "3")
    #expect(throws: ReadError.self) { try XMLRecords(Array(text.utf8), root: "other", of: ["i"]) }
  }
}
