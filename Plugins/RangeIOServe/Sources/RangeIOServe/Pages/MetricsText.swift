#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Statistics in the text format of Prometheus: each number of a JSON document by its path, such as
/// `rangeio_server_body_bytes`. What stands in a list has its name as a label: `rangeio_nodes_hits{name="cache-1:11211"}`.
///
/// - Source: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
package struct MetricsText {
  package let text: String

  package init(json: Data) throws {
    var metrics = Metrics()
    metrics.add(try JSONDecoder().decode(Value.self, from: json), "rangeio", of: nil)
    text = metrics.text
  }

  private indirect enum Value: Decodable {
    case number(Double)
    case text(String)
    case object([(String, Value)])
    case list([Value])
    case other

    private struct Key: CodingKey {
      let stringValue: String
      init(stringValue: String) { self.stringValue = stringValue }
      var intValue: Int? { nil }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      // `try?`: tells the kinds of values from each other.
      if let container = try? decoder.container(keyedBy: Key.self) {
        self = .object(
          try container.allKeys.map { ($0.stringValue, try container.decode(Value.self, forKey: $0)) }
            .sorted { $0.0 < $1.0 })
      } else if let list = try? [Value](from: decoder) {
        self = .list(list)
      } else if let number = try? decoder.singleValueContainer().decode(Double.self) {
        self = .number(number)
      } else if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else {
        self = .other
      }
    }

    /// The member of an object.
    subscript(key: String) -> Value? {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.0 == key }?.1
    }

    var name: String? {
      guard case .text(let name)? = self["name"] else { return nil }
      return name
    }
  }

  /// Lines, those of one metric together.
  private struct Metrics {
    private var names: [String] = []
    private var lines: [String: [String]] = [:]

    var text: String {
      names.map { "# TYPE \($0) untyped\n" + (lines[$0] ?? []).joined() }.joined()
    }

    /// - Parameter label: what in a list it belongs to.
    mutating func add(_ value: Value, _ name: String, of label: String?) {
      switch value {
      case .number(let number):
        let text = number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        if lines[name] == nil { names.append(name) }
        lines[name, default: []].append(
          name + (label.map { "{name=\"\(MetricsText.escaped($0))\"}" } ?? "") + " " + text + "\n")
      case .object(let members):
        for (key, value) in members {
          // A list of counts goes by their own names.
          if key == "counts", case .list = value {
            add(value, name, of: label)
          } else {
            add(value, name + "_" + snake(key), of: label)
          }
        }
      case .list(let values):
        for value in values {
          if let own = value.name, case .number? = value["value"] {
            add(value["value"] ?? .other, name + "_" + snake(own), of: label)
          } else if let own = value.name {
            // Without a name it could not be told from the others.
            add(value, name, of: own)
          }
        }
      case .text, .other: break
      }
    }
  }

  private static func escaped(_ label: String) -> String {
    label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
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
