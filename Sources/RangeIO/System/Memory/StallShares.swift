/// How much of the last ten seconds was lost to waiting for memory, as measured by the kernel ("PSI").
///
/// Source: the kernel's Documentation/accounting/psi.rst.
struct StallShares: Equatable, Sendable {
  /// The part in which some task waited.
  var some: Double?
  /// The part in which all tasks that had something to do waited.
  var all: Double?

  /// Parses `some avg10=1.50 avg60=… avg300=… total=…` and the line `full`, which older kernels do not have everywhere.
  init(_ text: KernelText?) {
    for line in text?.lines ?? [] {
      let words = line.words
      let share = words.lazy.compactMap { $0.after("avg10=") }.first?.percentage
      if words.first.map({ $0 == "some" }) == true { some = share }
      if words.first.map({ $0 == "full" }) == true { all = share }
    }
  }
}
