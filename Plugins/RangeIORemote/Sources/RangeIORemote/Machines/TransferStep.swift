/// The next step that a machine wants.
enum TransferStep: Hashable, Sendable {
  /// Drop the body of the last answer, then send this.
  case send(RequestPlan)
  /// Take the body of this answer; then `bodyEnded`.
  case receive(BodyPlan)
  /// The description is made, whose `bytes` are those of this body to take; no event follows.
  case open(ObjectDescription, BodyPlan)
  /// Collect up to 16 KiB of the body and ask the authority; then `judged`.
  case judge
  /// Do it; then `mended` or `mendFailed`.
  case mend(Remedy)
  /// Describe the object anew, by GET and past caches; then `described`. Only of a read.
  case describe
  /// The description is made, and what is wanted of the body is there.
  case described(ObjectDescription)
  /// All bytes of a read are there.
  case finish
  case fail(Failure)
}
