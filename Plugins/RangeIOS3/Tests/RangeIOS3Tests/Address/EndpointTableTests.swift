#if S3
  import Foundation
  import RangeIO
  import Testing

  @testable import RangeIOS3

  /// One line of `endpoints.jsonl`, which `make-endpoints.py` writes with botocore.
  struct EndpointCase: Decodable, CustomStringConvertible {
    struct Found: Decodable {
      var url: String?
      var auth: String?
      var signingName: String?
      var signingRegion: String?
      var error: String?
    }
    var number: Int
    var service: String
    var bucket: String?
    var region: String
    var fips: Bool
    var dual: Bool
    var path: Bool
    var endpoint: String?
    var arnRegion: Bool
    var found: Found

    var description: String { "case \(number): \(service) \(bucket ?? "") \(region) fips \(fips) dual \(dual)" }

    /// All of them.
    static func table() throws -> [EndpointCase] {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let text = try String(contentsOf: folder.appending(path: "../../endpoints.jsonl"), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }

    var hosts: AWSHosts { AWSHosts(usesFIPS: fips, usesDualStack: dual) }

    /// Where RangeIOS3 sends a GET of the bucket's object `k`, and how it signs.
    func chosen(_ bucket: String) async throws -> (url: String, service: String, region: String) {
      var configuration = S3Source.Configuration()
      configuration.region = region
      configuration.endpoint = endpoint
      // Outside AWS the bucket is in the path unless one asks otherwise; botocore puts it into the host of a name.
      let isName = endpoint.map { !$0.contains("127.0.0.1") } ?? false
      let isDirectory = bucket.hasSuffix("--x-s3")
      configuration.addressing = isName && (!path || isDirectory) ? .virtualHost : path ? .path : .automatic
      let variables = [
        "AWS_USE_FIPS_ENDPOINT": "\(fips)", "AWS_USE_DUALSTACK_ENDPOINT": "\(dual)",
        "AWS_S3_USE_ARN_REGION": "\(arnRegion)",
      ]
      let address = try S3Address(bucket: bucket, key: "k")
      let place = try await StorePlace(address, configuration, Scene().places(variables))
      let location = place.endpoint.location(of: address, region: place.region, addressing: place.addressing)
      return (location.url, address.place.service, place.region)
    }
  }

  struct EndpointTableTests {
    @Test func `every endpoint of a bucket is that of botocore's rules`() async throws {
      let table = try EndpointCase.table().filter { $0.service == "s3" }
      #expect(table.count >= 200)
      for one in table {
        let bucket = try #require(one.bucket)
        // What is not supported is refused: signatures of several regions, S3 Object Lambda, Outposts.
        let isKnown = one.found.auth?.hasPrefix("sigv4a") == false && one.found.signingName?.hasPrefix("s3-") == false
        guard let url = one.found.url, isKnown else {
          let error = await #expect(throws: ReadError.self, "\(one)") { _ = try await one.chosen(bucket) }
          #expect(error?.code == .invalidConfiguration, "\(one): \(error as Any)")
          continue
        }
        let chosen = try await one.chosen(bucket)
        #expect(chosen.url == "\(url)/k", "\(one)")
        #expect(chosen.service == one.found.signingName, "\(one)")
        #expect(chosen.region == one.found.signingRegion, "\(one)")
      }
    }

    @Test func `every endpoint of another service is that of botocore's rules`() throws {
      let services: [String: AWSService] = ["sts": .sts, "sso": .sso, "sso-oidc": .ssoOIDC, "signin": .signIn]
      let table = try EndpointCase.table().filter { $0.service != "s3" }
      #expect(table.count >= 100)
      for one in table {
        let service = try #require(services[one.service])
        #expect("https://\(one.hosts.host(of: service, in: one.region))" == one.found.url, "\(one)")
      }
    }

    @Test(arguments: [
      ("s3://arn:aws:s3:us-west-2:123456789012:accesspoint/name/a/b", "a/b"),
      ("s3://arn:aws:s3:us-west-2:123456789012:accesspoint:name/a:b", "a:b"),
      ("s3://arn:aws-cn:s3:cn-north-1:1:accesspoint/n//x", "/x"),
    ])
    func `an address may name an access point`(_ url: String, _ key: String) throws {
      let address = try S3Address(url)
      #expect(address.key == key && address.place.isAccessPoint)
      #expect(try S3Address(address.description) == address)
    }

    @Test(arguments: [
      ("arn:aws:s3::123456789012:accesspoint/mfzwi23gnjvgw.mrap", "SigV4A"), ("mfzwi23gnjvgw.mrap", "SigV4A"),
      ("arn:aws:s3-outposts:us-west-2:1:outpost/op-1/accesspoint/n", "Outposts"), ("point-123--op-s3", "Outposts"),
      ("arn:aws:s3-object-lambda:us-west-2:1:accesspoint/n", "Object Lambda"), ("--x-s3", "zone"),
      ("name--x-s3", "zone"), ("arn:aws:s3:us-west-2:1:bucket/n", "access point"),
    ])
    func `a kind of bucket that is not supported is named`(_ bucket: String, _ word: String) {
      let error = #expect(throws: ReadError.self) { _ = try S3Address(bucket: bucket, key: "k") }
      #expect(error?.message.contains(word) == true, "\(error as Any)")
    }
  }

#endif
