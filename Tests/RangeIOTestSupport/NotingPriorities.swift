import RangeIO

/// A stage that notes what the task that reads through it is raised to. Before macOS 26 it notes nothing.
struct NotingPriorities: ReadStage {
  let raised = Noted<TaskPriority>()

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return try await next(request) }
    return try await withTaskPriorityEscalationHandler {
      try await next(request)
    } onPriorityEscalated: { _, priority in
      raised.add(priority)
    }
  }
}
