/// Whether `condition` comes to hold: looked at again and again, giving way to others in between, for ten minutes at most:
/// beside many other tests on a busy machine a task may wait for its first turn for longer than one.
///
/// For what the system does in its own time, such as the end of a thread. Everything else is awaited.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now.advanced(by: .seconds(600))
  while try !condition() {
    if ContinuousClock.now > deadline { return false }
    await Task.yield()
  }
  return true
}
