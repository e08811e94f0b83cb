#if S3
  import RangeIO
  import Testing

  @testable import RangeIOS3

  /// Where requests go, by the environment and the profile.
  struct StorePlaceTests {
    private func place(
      _ profile: String, _ variables: [String: String] = [:], _ configuration: S3Source.Configuration = .init()
    ) async throws -> (url: String, place: StorePlace) {
      let scene = Scene(files: ["/home/u/.aws/config": "[default]\n\(profile)"])
      let address = try S3Address("s3://bucket/k")
      let place = try await StorePlace(address, configuration, scene.places(variables))
      return (place.endpoint.location(of: address, region: place.region, addressing: place.addressing).url, place)
    }

    @Test(
      arguments: [
        ("region = eu-west-1", [:], "https://bucket.s3.eu-west-1.amazonaws.com/k"),
        ("region = eu-west-1", ["AWS_REGION": "cn-north-1"], "https://bucket.s3.cn-north-1.amazonaws.com.cn/k"),
        ("use_fips_endpoint = true", [:], "https://bucket.s3-fips.us-east-1.amazonaws.com/k"),
        (
          "use_fips_endpoint = true", ["AWS_USE_FIPS_ENDPOINT": "false"], "https://bucket.s3.us-east-1.amazonaws.com/k"
        ),
        ("use_dualstack_endpoint = TRUE", [:], "https://bucket.s3.dualstack.us-east-1.amazonaws.com/k"),
        ("s3 =\n  use_dualstack_endpoint = true", [:], "https://bucket.s3.dualstack.us-east-1.amazonaws.com/k"),
        ("s3 =\n  addressing_style = path", [:], "https://s3.us-east-1.amazonaws.com/bucket/k"),
        ("region = fips-us-gov-west-1", [:], "https://bucket.s3-fips.us-gov-west-1.amazonaws.com/k"),
        ("endpoint_url = http://h", [:], "http://h/bucket/k"),
        ("endpoint_url = http://h\ns3 =\n addressing_style = virtual", [:], "http://bucket.h/k"),
        (
          "endpoint_url = http://h\nservices = mine\n[services mine]\nsts =\n  endpoint_url = http://t\n"
            + "s3 = \n  endpoint_url = http://s",
          [:], "http://s/bucket/k"
        ),
        ("endpoint_url = http://h", ["AWS_ENDPOINT_URL": "http://g"], "http://g/bucket/k"),
        (
          "endpoint_url = http://h", ["AWS_ENDPOINT_URL": "http://g", "AWS_ENDPOINT_URL_S3": "http://f"],
          "http://f/bucket/k"
        ),
        (
          "endpoint_url = http://h\nignore_configured_endpoint_urls = true", [:],
          "https://bucket.s3.us-east-1.amazonaws.com/k"
        ),
      ] as [(String, [String: String], String)])
    func `the environment goes before the profile, and the service before all`(
      _ profile: String, _ variables: [String: String], _ url: String
    ) async throws {
      #expect(try await place(profile, variables).url == url)
    }

    @Test func `the configuration goes before both`() async throws {
      var configuration = S3Source.Configuration()
      configuration.usesFIPS = false
      configuration.usesDualStack = true
      configuration.region = "eu-north-1"
      let found = try await place("use_fips_endpoint = true\nregion = x", ["AWS_REGION": "y"], configuration)
      #expect(found.url == "https://bucket.s3.dualstack.eu-north-1.amazonaws.com/k")
    }

    @Test(
      arguments: [
        ("use_fips_endpoint = maybe", [:], "use_fips_endpoint"), ("services = none", [:], "[services none]"),
        ("s3 =\n  use_accelerate_endpoint = true", [:], "accelerate"), ("s3 =\n  signature_version = s3", [:], "s3v4"),
        ("s3 =\n  addressing_style = odd", [:], "addressing_style"),
        ("use_fips_endpoint = true\nregion = cn-north-1", [:], "FIPS"),
        ("use_dualstack_endpoint = true\nendpoint_url = http://h", [:], "use_dualstack_endpoint"),
        ("use_fips_endpoint = true\nendpoint_url = http://h", [:], "FIPS"),
        ("region = fips-us-gov-west-1", ["AWS_ENDPOINT_URL_S3": "http://h"], "FIPS"),
        ("region = a/b", [:], "region"), ("", ["AWS_USE_DUALSTACK_ENDPOINT": "1"], "AWS_USE_DUALSTACK_ENDPOINT"),
        ("", ["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "x"], "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
      ] as [(String, [String: String], String)])
    func `a setting that is not understood is named`(
      _ profile: String, _ variables: [String: String], _ word: String
    ) async {
      let error = await #expect(throws: ReadError.self) { _ = try await place(profile, variables) }
      #expect(error?.code == .invalidConfiguration && error?.message.contains(word) == true, "\(error as Any)")
    }

    @Test func `a service that has a URL of the user's passes over no switch`() throws {
      let places = Scene().places(["AWS_ENDPOINT_URL_STS": "http://t"])
      for hosts in [AWSHosts(usesFIPS: true), AWSHosts(usesDualStack: true)] {
        let endpoints = ConfiguredEndpoints(places: places, profile: nil, hosts: hosts)
        let error = #expect(throws: ReadError.self) { _ = try endpoints.url(of: .sts, in: "us-east-1") }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("sts") == true)
        #expect(try endpoints.url(of: .sso, in: "us-east-1").hasPrefix("https://portal.sso"))
      }
    }

    @Test func `certificates are those of the environment, or the profile`() async throws {
      #expect(try await place("ca_bundle = ~/own.pem").place.rootFile == "/home/u/own.pem")
      #expect(try await place("ca_bundle = a", ["AWS_CA_BUNDLE": "b"]).place.rootFile == "b")
      #expect(try await place("").place.rootFile == nil)
    }
  }

#endif
