#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Statistics in the text format of Prometheus: each number of a JSON document by its path, such as
/// `rangeio_server_body_bytes`.
///
/// - Source: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
package struct MetricsText {
  package let text: String

  package init(json: Data) throws {
    var lines: [String] = []
    Self.add(try JSONDecoder().decode(Value.self, from: json), "rangeio", &lines)
    text = lines.joined()
  }

  private enum Value: Decodable {
    case number(Double)
    case object([(String, Value)])
    case other

    private struct Key: CodingKey {
      let stringValue: String
      init(stringValue: String) { self.stringValue = stringValue }
      var intValue: Int? { nil }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      // `try?`: tells an object from a number, and both from all else.
      if let container = try? decoder.container(keyedBy: Key.self) {
        self = .object(
          try container.allKeys.map { ($0.stringValue, try container.decode(Value.self, forKey: $0)) }
            .sorted { $0.0 < $1.0 })
      } else if let number = try? decoder.singleValueContainer().decode(Double.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }
  }

  private static func add(_ value: Value, _ name: String, _ lines: inout [String]) {
    switch value {
    case .number(let number):
      let text = number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
      lines.append("# TYPE \(name) untyped\n\(name) \(text)\n")
    case .object(let members):
      for (key, value) in members { add(value, name + "_" + snake(key), &lines) }
    case .other: break
    }
  }

  /// `bodyBytes` as `body_bytes`; what may not stand in a name as `_`.
  static func snake(_ key: String) -> String {
    var name = ""
    for byte in key.utf8 {
      switch byte {
      case 65...90: name += (name.isEmpty || name.hasSuffix("_") ? "" : "_") + String(Unicode.Scalar(byte + 32))
      case 48...57, 97...122: name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += name.hasSuffix("_") ? "" : "_"
      }
    }
    return name
  }
}
