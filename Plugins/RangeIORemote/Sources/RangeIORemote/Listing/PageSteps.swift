internal import RangeIO

/// Which page of a listing comes next. Finds pages that lead in a circle, however long it is, with one token remembered
/// (R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980).
struct PageSteps: Equatable {
  /// Names the next page; `nil`: the first.
  private(set) var token: String?
  /// There is no next page.
  private(set) var isOver = false
  private var remembered: String?
  private var count = 0
  private var nextMark = 1

  /// A page came.
  ///
  /// - Throws: `ReadError` with `invalidResponse` if it leads back.
  mutating func took(_ page: ListingPage) throws(ReadError) {
    guard let next = page.next else { return end() }
    guard remembered.map({ !$0.utf8.elementsEqual(next.utf8) }) ?? true, !next.isEmpty else {
      throw ReadError(
        .invalidResponse,
        "the server names a page as the next one that it has listed before, so the listing would never end")
    }
    count += 1
    if count == nextMark {
      remembered = next
      nextMark *= 2
    }
    token = next
  }

  /// No page is wanted any more.
  mutating func end() { isOver = true }
}
