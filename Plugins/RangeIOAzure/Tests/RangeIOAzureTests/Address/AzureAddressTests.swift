#if Azure
  import RangeIO
  import Testing

  @testable import RangeIOAzure

  struct AzureAddressTests {
    @Test(
      arguments: [
        ("az://maps/tiles/a/b.bin", "maps", "tiles", "a/b.bin", nil),
        ("AZ://maps/tiles/a//b", "maps", "tiles", "a//b", nil),
        ("az://maps/$root/a%20b", "maps", "$root", "a%20b", nil),
        ("az://maps/tiles/a b#c", "maps", "tiles", "a b#c", nil),
        ("az://maps/tiles/what?x=1", "maps", "tiles", "what?x=1", nil),
        ("az://maps/tiles//lead", "maps", "tiles", "/lead", nil),
        ("az://maps/tiles/\u{301}k", "maps", "tiles", "\u{301}k", nil),
        ("az://maps/tiles/k?versionid=2026-01-02T03:04:05.0Z", "maps", "tiles", "k", "2026-01-02T03:04:05.0Z"),
        ("az://maps/tiles/k?a?VersionId=v", "maps", "tiles", "k?a", "v"),
        ("abfss://tiles@maps.dfs.core.windows.net/a b/c", "maps", "tiles", "a b/c", nil),
        ("abfss://tiles@maps.dfs.core.chinacloudapi.cn/k?versionid=v", "maps", "tiles", "k", "v"),
        ("https://maps.blob.core.windows.net/tiles/a%20b/c%2Bd", "maps", "tiles", "a b/c+d", nil),
        ("https://MAPS.blob.core.usgovcloudapi.net/tiles/a+b", "maps", "tiles", "a+b", nil),
        ("https://maps.dfs.core.windows.net/tiles/a", "maps", "tiles", "a", nil),
        ("https://maps.z01.blob.storage.azure.net/tiles/a", "maps", "tiles", "a", nil),
        ("https://maps-secondary.blob.core.windows.net/tiles/a", "maps", "tiles", "a", nil),
        ("https://maps.blob.core.windows.net/tiles/a?versionid=1%2B2", "maps", "tiles", "a", "1+2"),
        ("http://127.0.0.1:10000/devstoreaccount1/tiles/a", "devstoreaccount1", "tiles", "a", nil),
        ("http://azurite:10000/maps/tiles/a/b", "maps", "tiles", "a/b", nil),
        ("http://[::1]:10000/maps/tiles/100%25", "maps", "tiles", "100%", nil),
      ] as [(String, String, String, String, String?)])
    func `an address is parsed`(
      _ text: String, _ account: String, _ container: String, _ blob: String, _ version: String?
    ) throws {
      let address = try AzureAddress(text)
      #expect(address.account == account && address.container == container && address.versionID == version)
      #expect(address.blob.utf8.elementsEqual(blob.utf8) && address.snapshot == nil)
      // What names it in errors leads to the same blob, but for signatures.
      #expect(try AzureAddress(address.description).blob == address.blob || address.description.contains("…"))
    }

    @Test(
      arguments: [
        ("az://maps/tiles/a b", "https://maps.blob.core.windows.net/tiles/a%20b"),
        ("abfss://tiles@maps.dfs.core.windows.net/a", "https://maps.blob.core.windows.net/tiles/a"),
        ("https://maps.dfs.core.windows.net/tiles/a", "https://maps.blob.core.windows.net/tiles/a"),
        (
          "https://maps-secondary.blob.core.windows.net/tiles/a", "https://maps-secondary.blob.core.windows.net/tiles/a"
        ),
        (
          "http://127.0.0.1:10000/maps/tiles/a?snapshot=2026-01-02T03:04Z",
          "http://127.0.0.1:10000/maps/tiles/a?snapshot=2026-01-02T03%3A04Z"
        ),
        ("az://maps/$root/a?versionid=1 2", "https://maps.blob.core.windows.net/%24root/a?versionid=1%202"),
      ]) func `an address leads to the blob service`(_ text: String, _ url: String) throws
    {
      let address = try AzureAddress(text)
      #expect(try (address.endpoint ?? BlobEndpoint(account: address.account)).url(of: address).text == url)
    }

    @Test(arguments: [
      "", "az:", "az://", "az://maps", "az://maps/tiles", "az://maps/tiles/", "az:///tiles/a", "az:/maps/tiles/a",
      "az://Maps/tiles/a", "az://maps/Tiles/a", "az://maps/ti les/a", "az://maps/tiles/../a", "az://maps/tiles/a/./b",
      "az://maps/tiles/a/../\u{301}b",
      "az://maps/tiles/a?versionid=", "azz://maps/tiles/a", "abfs://tiles@maps.dfs.core.windows.net/a",
      "abfss://maps.dfs.core.windows.net/tiles/a", "abfss://tiles@example.org/a", "abfss://tiles@maps/a",
      "https://example.org/tiles/a", "https://maps.queue.core.windows.net/tiles/a",
      "https://maps.blob.core.windows.net/",
      "https://maps.blob.core.windows.net/a", "https://maps.blob.core.windows.net/tiles/a?comp=list",
      "https://maps.blob.core.windows.net/tiles/a?snapshot=1&versionid=2",
      "https://maps.blob.core.windows.net/tiles/%FF",
      "https://u:hidden@maps.blob.core.windows.net/tiles/a", "http://127.0.0.1:10000/maps/tiles", "s3://bucket/key",
      "/a/b",
      "https://maps.blob.core.windows.net/tiles/a?hidden", "https://maps.blob.core.windows.net/tiles/a?sig=hidden",
    ]) func `what names no blob is refused`(_ text: String) {
      let error = #expect(throws: ReadError.self) { _ = try AzureAddress(text) }
      #expect(error?.code == .invalidConfiguration && error?.message.isEmpty == false)
      #expect(error.map { !"\($0)".contains("hidden") } == true, "\(error as Any)")
    }

    @Test func `names of different bytes are different`() throws {
      #expect(try AzureAddress("az://m/c/\u{e9}") != AzureAddress("az://m/c/e\u{301}"))
      #expect(try AzureAddress("az://m/c/k") != AzureAddress("az://m/c/k?versionid=1"))
      #expect(try AzureAddress("az://m/c/k?snapshot=1") != AzureAddress("az://m/c/k?versionid=1"))
      #expect(throws: ReadError.self) {
        try AzureAddress(account: "m", container: "c", blob: String(repeating: "é", count: 1_025))
      }
    }

    @Test(arguments: [
      "", "ftp://x", "https://", "https://u:hidden@maps.blob.core.windows.net",
      "https://maps.blob.core.windows.net?hidden",
    ]) func `an endpoint that is none is refused`(_ text: String) {
      let error = #expect(throws: ReadError.self) { _ = try BlobEndpoint(text, name: "the endpoint") }
      #expect(error?.message.hasPrefix("the endpoint ") == true && error.map { !"\($0)".contains("hidden") } == true)
    }
  }

  struct ConnectionStringTests {
    private static let key = "a2V5"

    @Test func `the emulator, an account and a signature are understood`() throws {
      let emulator = try ConnectionString("UseDevelopmentStorage=true")
      #expect(emulator.account == "devstoreaccount1")
      #expect(emulator.endpoint.text == "http://127.0.0.1:10000/devstoreaccount1")
      let account = try ConnectionString(
        "DefaultEndpointsProtocol=https;AccountName=maps;AccountKey=\(Self.key)==;EndpointSuffix=core.chinacloudapi.cn;"
          .replacing("==;", with: ";"))
      #expect(account.endpoint.text == "https://maps.blob.core.chinacloudapi.cn" && account.account == "maps")
      #expect(account.access == .key(try SharedKey(account: "maps", key: Self.key)))
      let signed = try ConnectionString(
        "BlobEndpoint=https://maps.blob.core.windows.net/;QueueEndpoint=https://x;SharedAccessSignature=sv=1&sig=a%3D")
      #expect(signed.account == "maps")
      #expect(signed.access == .sas(try SASQuery("sv=1&sig=a%3D")))
      let own = try ConnectionString("blobendpoint=http://azurite:10000/maps;accountname=maps;accountkey=\(Self.key)")
      #expect(own.endpoint.text == "http://azurite:10000/maps")
      #expect(try ConnectionString("AccountName=maps").access == nil)
    }

    @Test(arguments: [
      "", "hidden", "AccountKey=aGlkZGVu", "AccountName=maps;AccountKey=hidden!",
      "AccountName=maps;AccountNames=hidden",
      "AccountName=maps;AccountName=hidden", "AccountName=maps;SharedAccessSignature=hidden",
      "UseDevelopmentStorage=hidden", "UseDevelopmentStorage=true;AccountKey=hidden",
      "AccountName=maps;DefaultEndpointsProtocol=hidden", "BlobEndpoint=hidden", "AccountName=maps;hidden !=1",
    ]) func `what is none is refused, and not shown`(_ text: String) {
      let error = #expect(throws: ReadError.self) { _ = try ConnectionString(text) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error.map { !"\($0)".contains("hidden") && !"\($0)".contains("aGlk") } == true, "\(error as Any)")
    }
  }

#endif
