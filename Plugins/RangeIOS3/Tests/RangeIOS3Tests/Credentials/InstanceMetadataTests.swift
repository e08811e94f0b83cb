#if S3
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  struct InstanceMetadataTests {
    private let document =
      #"{"AccessKeyId":"DOC","SecretAccessKey":"s","Token":"t","Expiration":"2026-01-02T03:04:05Z"}"#

    private func scene(_ configuration: String = "", tokenStatus: Int = 200) -> Scene {
      Scene(files: ["/home/u/.aws/config": configuration]) { [document] request in
        if request.method == "PUT" { return CredentialPlaces.Answer(status: tokenStatus, body: Array("T".utf8)) }
        return CredentialPlaces.Answer(
          status: 200, body: Array((request.url.hasSuffix("/") ? "role" : document).utf8))
      }
    }

    @Test(
      arguments: [
        ([:], "", "http://169.254.169.254"),
        (["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"], "", "http://[fd00:ec2::254]"),
        (["AWS_IMDS_USE_IPV6": "true"], "", "http://[fd00:ec2::254]"),
        ([:], "[default]\nec2_metadata_service_endpoint_mode = ipv6", "http://[fd00:ec2::254]"),
        ([:], "[default]\nec2_metadata_service_endpoint = http://h:1/", "http://h:1"),
        (
          ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://g", "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"], "",
          "http://g"
        ),
      ] as [([String: String], String, String)])
    func `the metadata service is where the environment or the profile says`(
      _ variables: [String: String], _ configuration: String, _ url: String
    ) async throws {
      let scene = scene(configuration)
      #expect(try await CredentialsChain(places: scene.places(variables)).credentials().accessKeyID == "DOC")
      #expect(scene.requests.map(\.url).allSatisfy { $0.hasPrefix("\(url)/latest/") })
    }

    @Test func `a switch that is none is named`() async {
      for variables in [
        ["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv5"], ["AWS_EC2_METADATA_V1_DISABLED": "maybe"],
        ["AWS_IMDS_USE_IPV6": "x"], ["AWS_METADATA_SERVICE_TIMEOUT": "0"],
        ["AWS_METADATA_SERVICE_NUM_ATTEMPTS": "many"], ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "169.254.169.254"],
      ] {
        let error = await #expect(throws: ReadError.self) {
          _ = try await CredentialsChain(places: scene().places(variables)).credentials()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(variables.keys.allSatisfy { error?.message.contains($0) == true })
      }
    }

    @Test(arguments: [
      ["AWS_METADATA_SERVICE_TIMEOUT": "5", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "3"], [:],
    ]) func `a service that is slow gets the time that the settings say`(_ variables: [String: String]) async throws {
      let file = variables.isEmpty ? "metadata_service_timeout = 5\nmetadata_service_num_attempts = 3" : ""
      let count = Guarded(0)
      let scene = Scene(files: ["/home/u/.aws/config": "[default]\n\(file)"]) { [document] request in
        let isAnswered = count.withLock { count in
          count += 1
          return count.isMultiple(of: 3)
        }
        guard isAnswered else { throw ReadError(.timedOut, "late", isTransient: true) }
        if request.method == "PUT" { return CredentialPlaces.Answer(status: 200, body: Array("T".utf8)) }
        return CredentialPlaces.Answer(
          status: 200, body: Array((request.url.hasSuffix("/") ? "role" : document).utf8))
      }
      #expect(try await CredentialsChain(places: scene.places(variables)).credentials().accessKeyID == "DOC")
      #expect(scene.requests.count == 9 && scene.requests.allSatisfy { $0.timeout == .seconds(5) })
    }

    @Test(arguments: [429, 503]) func `a service that is busy may be asked again`(_ status: Int) async {
      let error = await #expect(throws: ReadError.self) {
        _ = try await CredentialsChain(places: scene(tokenStatus: status).places()).credentials()
      }
      #expect(error?.code == .inputOutput && error?.isTransient == true)
    }

    @Test func `a service that has answered is there, though an answer is lost`() async throws {
      let isSilent = Guarded(false)
      let scene = Scene { [document] request in
        if isSilent.withLock({ $0 }) { throw ReadError(.timedOut, "late", isTransient: true) }
        if request.method == "PUT" { return CredentialPlaces.Answer(status: 200, body: Array("T".utf8)) }
        return CredentialPlaces.Answer(status: 200, body: Array((request.url.hasSuffix("/") ? "role" : document).utf8))
      }
      let chain = CredentialsChain(places: scene.places())
      #expect(try await chain.credentials().accessKeyID == "DOC")
      isSilent.withLock { $0 = true }
      let error = await #expect(throws: ReadError.self) { _ = try await chain.credentials() }
      #expect(error?.isTransient == true)
    }

    @Test(arguments: [403, 404, 405, 501])
    func `a service without tokens is asked by its first version, unless that is off`(_ status: Int) async throws {
      let scene = scene(tokenStatus: status)
      #expect(try await CredentialsChain(places: scene.places()).credentials().accessKeyID == "DOC")
      #expect(scene.requests.dropFirst().allSatisfy { $0.fields.all.isEmpty })
      for (variables, configuration) in [
        (["AWS_EC2_METADATA_V1_DISABLED": "true"], ""), ([:], "[default]\nec2_metadata_v1_disabled = true"),
      ] {
        let scene = self.scene(configuration, tokenStatus: status)
        let error = await #expect(throws: ReadError.self) {
          _ = try await CredentialsChain(places: scene.places(variables)).credentials()
        }
        #expect(error?.code == .permissionDenied && error?.message.contains("tokens") == true)
        #expect(scene.requests.count == 1)
      }
    }
  }

#endif
