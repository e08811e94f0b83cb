/// A first element and those after it: the ranges of a request, the bytes of a response. Nearly always there is one, and
/// then nothing is allocated.
struct OneOrMore<Element>: RandomAccessCollection {
  let head: Element
  let more: [Element]

  init(_ head: Element, more: [Element] = []) {
    self.head = head
    self.more = more
  }

  /// `nil` if there are no elements.
  init?(_ elements: some Collection<Element>) {
    guard let head = elements.first else { return nil }
    self.init(head, more: elements.count == 1 ? [] : Array(elements.dropFirst()))
  }

  var startIndex: Int { 0 }
  var endIndex: Int { 1 + more.count }

  subscript(index: Int) -> Element { index == 0 ? head : more[index - 1] }

  /// As many elements, each transformed.
  func mapped<Other>(_ transform: (Element) -> Other) -> OneOrMore<Other> {
    OneOrMore<Other>(transform(head), more: more.map(transform))
  }
}

extension OneOrMore: Sendable where Element: Sendable {}
