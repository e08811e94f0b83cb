#if SharedCache
  internal import NIOCore
  internal import RangeIO

  /// Writes commands as an engine wants them. Each has one reply, in their order.
  protocol CommandWriter: Sendable {
    /// Writes the first command of a new connection, if there is one.
    mutating func greet(_ login: NodeLogin?, into buffer: inout ByteBuffer) -> NodeGreeting
    /// The login, for a node that has refused the question of the greeting.
    mutating func logIn(_ login: NodeLogin, into buffer: inout ByteBuffer)
    /// A question whose answer says that the node is there.
    mutating func probe(into buffer: inout ByteBuffer)
    mutating func get(_ key: SharedBlockKey, lease: Duration?, into buffer: inout ByteBuffer)
    mutating func set(_ key: SharedBlockKey, _ value: Bytes, lifetime: Duration, into buffer: inout ByteBuffer)
  }

  /// The first command of a new connection.
  enum NodeGreeting {
    case nothing
    /// A command that a node either takes or refuses. Commands may follow at once.
    case greeting
    /// The question whether the node wants a login. Nothing may follow before its reply: where none is wanted, a login
    /// means something else.
    case question
  }

  /// A user and a password.
  struct NodeLogin: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let user: String
    let password: String

    var description: String { "a login" }

    /// Without its values, so that `dump` of whatever holds it shows no password.
    var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
