/// Whether `condition` comes to hold: looked at again and again, giving way to others in between, for ten seconds at most.
func eventually(_ condition: () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now.advanced(by: .seconds(10))
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    await Task.yield()
  }
  return true
}
