#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Where the token of another provider comes from: a file, or a URL.
  struct SubjectToken: Sendable {
    /// The member `credential_source` of a file of credentials.
    struct Document: Decodable, Sendable {
      struct Format: Decodable, Sendable {
        var type: String?
        var subject_token_field_name: String?
      }
      /// A member whose contents do not matter.
      struct Anything: Decodable, Sendable {
        init(from decoder: any Decoder) {}
      }
      var file: String?
      var url: String?
      var headers: [String: String]?
      var format: Format?
      var environment_id: String?
      var executable: Anything?
      var certificate: Anything?
    }

    private enum Place: Sendable {
      case file(String)
      case url(String, HeaderFields)
    }
    private let place: Place
    /// The member that has the token; `nil` if all of the text is the token.
    private let member: String?

    init(_ document: Document) throws(ReadError) {
      switch document.format?.type {
      case nil, "text": member = nil
      case "json":
        guard let name = document.format?.subject_token_field_name, !name.isEmpty else {
          throw Self.invalid("has the format json without subject_token_field_name: add it")
        }
        member = name
      case let other?:
        throw Self.invalid("has the format '\(GCSErrorDocument.name(other) ?? "…")', which is neither text nor json")
      }
      if let file = document.file {
        place = .file(file)
      } else if document.environment_id != nil {
        throw Self.invalid("has environment_id (AWS), which is not supported: pass tokens by a provider")
      } else if let url = document.url {
        var fields = HeaderFields()
        for (name, value) in document.headers ?? [:] { fields.set(name, value) }
        place = .url(url, fields)
      } else if document.executable != nil {
        throw Self.invalid("has executable, which is not supported: pass tokens by a provider")
      } else if document.certificate != nil {
        throw Self.invalid("has certificate (X.509), which is not supported: pass tokens by a provider")
      } else {
        throw Self.invalid("has neither file nor url: make the file of credentials again")
      }
    }

    /// The token. It is read anew each time, for such tokens end soon.
    func text(_ places: CredentialPlaces) async throws -> String {
      let text: String
      switch place {
      case .file(let path):
        guard let contents = try await places.file(places.path(path)) else {
          throw ReadError(.notFound, "there is no file of the subject's token: check credential_source", source: path)
        }
        text = contents
      case .url(let url, let fields):
        let answer = try await places.send(
          CredentialPlaces.Request(url: url, fields: fields, timeout: .seconds(10), isLocal: isLocal(url)))
        guard answer.status == 200 else {
          throw ReadError(
            .permissionDenied,
            "the server of the subject's token answered with status \(answer.status): check credential_source",
            isTransient: answer.status == 429 || answer.status >= 500)
        }
        text = String(decoding: answer.body, as: UTF8.self)
      }
      guard let member else { return text.trimmingCharacters(in: .whitespacesAndNewlines) }
      // `try?`: what is no JSON has no member.
      guard let object = try? JSONDecoder().decode([String: Member].self, from: Data(text.utf8)),
        let token = object[member]?.text
      else {
        throw Self.invalid("gave no JSON object with the member '\(member.prefix(64))': check subject_token_field_name")
      }
      return token
    }

    /// Identity services of machines are asked without a proxy.
    private func isLocal(_ url: String) -> Bool {
      // `try?`: what is no URL fails when it is asked.
      guard let parsed = try? ObjectURL(url) else { return false }
      return parsed.isLoopback || parsed.host.hasPrefix("169.254.")
    }

    /// A member that may be a text.
    private struct Member: Decodable {
      var text: String?
      // `try?`: other members may be anything.
      init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    private static func invalid(_ text: String) -> ReadError {
      ReadError(.invalidConfiguration, "the credential_source of the credentials \(text)")
    }
  }

#endif
