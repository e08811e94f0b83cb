#if S3
  import Foundation
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// One line of `signatures.jsonl`, which `make-signatures.py` writes with botocore.
  struct SignatureCase: Decodable, CustomStringConvertible {
    struct Signed: Decodable {
      var fields: [String: String]?
      var query: String?
    }
    var number: Int
    var method: String
    var host: String
    var hostField: String
    var key: String
    var query: String
    var headers: [[String]]
    var id: String
    var secret: String
    var token: String?
    var region: String
    var time: String
    var expiry: Int
    var unsigned: Bool
    var service: String
    var body: String
    var signed: Signed

    var description: String { "case \(number): \(method) \(host)/\(key)?\(query)" }

    /// All of them.
    static func table() throws -> [SignatureCase] {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let text = try String(contentsOf: folder.appending(path: "../../signatures.jsonl"), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }

    var request: UnsignedRequest {
      UnsignedRequest(
        method: method, scheme: host.hasPrefix("https") ? "https" : "http", host: hostField,
        path: "/" + ObjectURL.encodedPath(key), query: query, headers: headers.map { .init($0[0], $0[1]) })
    }

    func signer(_ keys: SigningKeys) -> RequestSigner {
      RequestSigner(
        credentials: S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token), region: region,
        service: service, form: service == "s3express" && token != nil ? .amazonExpress : .amazon, keys: keys)
    }

    var payload: RequestSigner.Payload { service == "sts" ? .bytes(Array(body.utf8)) : unsigned ? .unsigned : .empty }
  }

  struct SignatureTests {
    @Test func `every signature equals botocore's`() throws {
      let table = try SignatureCase.table()
      #expect(table.count >= 400)
      #expect(table.count { $0.expiry > 0 } >= 50)
      let keys = SigningKeys()
      for one in table {
        let time = try #require(SigningTime(one.time))
        let signer = one.signer(keys)
        if let query = one.signed.query {
          #expect(signer.presignedQuery(for: one.request, at: time, expiry: one.expiry) == query, "\(one)")
        } else {
          let fields = signer.headers(for: one.request, at: time, payload: one.payload)
          let made = Dictionary(uniqueKeysWithValues: fields.map { ($0.name.lowercased(), $0.value) })
          #expect(made == one.signed.fields, "\(one)")
        }
      }
    }

    @Test func `a key is derived once for a day and region`() throws {
      let keys = SigningKeys()
      let one = try #require(try SignatureCase.table().first)
      var signer = one.signer(keys)
      let noon = try #require(SigningTime("2026-01-02T12:00:00Z"))
      for hour in 0..<12 {
        let time = SigningTime(secondsSince1970: noon.secondsSince1970 + hour * 3_599)
        _ = signer.headers(for: one.request, at: time)
      }
      #expect(keys.derivedCount == 1)
      _ = signer.headers(for: one.request, at: SigningTime(secondsSince1970: noon.secondsSince1970 + 43_200))
      #expect(keys.derivedCount == 2)
      signer = RequestSigner(
        credentials: S3Credentials(accessKeyID: one.id, secretAccessKey: one.secret, sessionToken: one.token),
        region: "eu-north-1", keys: keys)
      _ = signer.headers(for: one.request, at: noon)
      #expect(keys.derivedCount == 3)
      // Another secret of the same name is another key.
      let other = S3Credentials(accessKeyID: one.id, secretAccessKey: "other")
      _ = RequestSigner(credentials: other, region: "eu-north-1", keys: keys).headers(for: one.request, at: noon)
      #expect(keys.derivedCount == 4)
    }

    @Test func `no more than a few keys are kept`() throws {
      let keys = SigningKeys()
      let credentials = S3Credentials(accessKeyID: "a", secretAccessKey: "s")
      for round in 0..<3 {
        for region in 0..<40 {
          _ = RequestSigner(credentials: credentials, region: "r\(region)", keys: keys).headers(
            for: UnsignedRequest(host: "h", path: "/"), at: SigningTime(secondsSince1970: 0))
        }
        // Forty do not fit, so each round derives some again.
        #expect(keys.derivedCount > 40 * round)
      }
    }

    @Test func `what is signed covers the range, the condition and the fields of S3, and nothing that proxies change`()
    {
      var request = UnsignedRequest(host: "h", path: "/")
      request.headers = [
        .init("Accept-Encoding", "identity"), .init("RANGE", "bytes=0-1"), .init("If-Match", "\"a\""),
        .init("User-Agent", "x"), .init("X-Amz-Request-Payer", "requester"), .init("Cache-Control", "no-cache"),
        .init("x-amzn-trace-id", "1"),
      ]
      #expect(request.signedFields.map(\.name) == ["host", "if-match", "range", "x-amz-request-payer"])
    }

    @Test func `a signature replaces one that is there already`() throws {
      let one = try #require(try SignatureCase.table().first { $0.token != nil && $0.expiry == 0 })
      let signer = one.signer(SigningKeys())
      let time = try #require(SigningTime(one.time))
      let first = signer.headers(for: one.request, at: time)
      var again = one.request
      again.headers += first
      #expect(signer.headers(for: again, at: time) == first)
    }

    @Test func `texts of credentials hide the secret and the token`() {
      let keys = S3Credentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "hidden", sessionToken: "covered")
      var dumped = ""
      dump(keys, to: &dumped)
      for text in ["\(keys)", String(reflecting: keys), dumped, "\([keys])", "\(Optional(keys) as Any)"] {
        #expect(!text.contains("hidden") && !text.contains("covered") && !text.contains("EXAMPLE"))
        #expect(text.contains("AKID"))
      }
    }
  }

#endif
