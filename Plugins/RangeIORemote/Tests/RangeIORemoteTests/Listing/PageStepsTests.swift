import RangeIO
import Testing

@testable import RangeIORemote

struct PageStepsTests {
  @Test func `pages follow each other to the last`() throws {
    var steps = PageSteps()
    #expect(steps.token == nil && !steps.isOver)
    try steps.took(ListingPage(next: "a"))
    #expect(steps.token == "a")
    try steps.took(ListingPage())
    #expect(steps.isOver)
  }

  @Test(arguments: 1..<40) func `a circle is found, wherever it begins`(length: Int) throws {
    for start in [0, 1, 5, 30] {
      var steps = PageSteps()
      var count = 0
      let error = #expect(throws: ReadError.self) {
        while count < 1_000 {
          let token = count < start ? count : start + (count - start) % length
          count += 1
          try steps.took(ListingPage(next: "\(token)"))
        }
      }
      #expect(error?.code == .invalidResponse)
      #expect(count <= 4 * (start + length) + 4)
    }
  }

  @Test func `a million different pages are none`() throws {
    var steps = PageSteps()
    for number in 0..<1_000_000 { try steps.took(ListingPage(next: "\(number)")) }
    #expect(steps.token == "999999")
  }

  @Test func `an empty token is no page`() {
    var steps = PageSteps()
    #expect(throws: ReadError.self) { try steps.took(ListingPage(next: "")) }
  }
}
