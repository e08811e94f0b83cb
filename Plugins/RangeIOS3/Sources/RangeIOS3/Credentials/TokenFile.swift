#if S3
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// A file of JSON in which the AWS tools keep a sign-in. Its texts are secrets. Fields that are not known here stay as they
  /// are when it is written.
  struct TokenFile {
    private var fields: [String: Any]

    /// The file at `path`; `nil` if there is none.
    ///
    /// - Throws: `invalidResponse` if it is no JSON object; errors of reading.
    static func read(_ path: String, _ places: CredentialPlaces) async throws -> TokenFile? {
      guard let text = try await places.file(path) else { return nil }
      return try TokenFile(Array(text.utf8), what: "the file of the sign-in", source: path)
    }

    /// - Parameter what: the origin of the bytes, as the subject of a sentence.
    init(_ bytes: [UInt8], what: String, source: String? = nil) throws(ReadError) {
      // `try?`: the error may show what the file has.
      guard let fields = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
        throw ReadError(.invalidResponse, "\(what) is no JSON object: sign in again", source: source)
      }
      self.fields = fields
    }

    /// A text, by its name.
    subscript(name: String) -> String? {
      get { (fields[name] as? String).flatMap { $0.isEmpty ? nil : $0 } }
      set { fields[name] = newValue }
    }

    /// A time, in seconds since 1970.
    func time(_ name: String) -> Int? { self[name].flatMap { SigningTime($0) }?.secondsSince1970 }

    /// How long something lasts, in whole seconds: at most some centuries, so that it can be added to a time.
    func duration(_ name: String) -> Int? {
      (fields[name] as? NSNumber).map { Int(min(max($0.doubleValue, 0), 1e10)) }
    }

    /// The fields of a field.
    func inner(_ name: String) -> TokenFile? { (fields[name] as? [String: Any]).map { TokenFile(fields: $0) } }

    /// Replaces the fields of a field.
    mutating func set(_ name: String, _ inner: TokenFile) { fields[name] = inner.fields }

    private init(fields: [String: Any]) { self.fields = fields }

    /// Writes it for the AWS tools, whose old token may not be good any more.
    func save(_ path: String, _ places: CredentialPlaces) async {
      // `try?`: the directory may be mounted for reading only, as in containers. The token is good all the same, and the next
      // fetch renews it again.
      guard let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else { return }
      try? await places.save(path, Array(data))
    }

    /// A time as these files have it.
    static func text(_ seconds: Int) -> String {
      let stamp = Array(SigningTime(secondsSince1970: seconds).stamp)
      func part(_ range: Range<Int>) -> String { String(stamp[range]) }
      return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    }
  }

#endif
