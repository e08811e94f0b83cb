/// Whether `condition` comes to hold: looked at again and again, giving way to others in between, for a minute at most.
///
/// For what the system does in its own time, such as the end of a thread. Everything else is awaited.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while try !condition() {
    if ContinuousClock.now > deadline { return false }
    await Task.yield()
  }
  return true
}
