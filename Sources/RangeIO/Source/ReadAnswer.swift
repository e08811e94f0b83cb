/// The answer of a source, a stage or a store that is asked for what it has without waiting. There will be no other cases.
public enum ReadAnswer<Value: Sendable>: Sendable {
  /// The value.
  case here(Value)
  /// Nothing in particular: it may have to be waited for, or fail. Saying so has had no effects that another try would show.
  case later

  /// The value; `nil` if it may have to be waited for.
  var value: Value? { if case .here(let value) = self { value } else { nil } }
}
