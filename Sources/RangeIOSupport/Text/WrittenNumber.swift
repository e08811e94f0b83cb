/// A whole number in JSON that some services write as a text, such as the seconds that a token lasts.
public struct WrittenNumber: Decodable, Sendable {
  /// `nil` for what is neither, and for what is too large.
  public let value: Int?

  /// Never throws for a value of another kind: it has none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // `try?`: it may be of either kind; one that is of neither has no value.
    if let number = try? container.decode(Double.self), number.isFinite, abs(number) < 1e15 {
      value = Int(number)
    } else {
      value = (try? container.decode(String.self)).flatMap { Int($0) }
    }
  }
}
