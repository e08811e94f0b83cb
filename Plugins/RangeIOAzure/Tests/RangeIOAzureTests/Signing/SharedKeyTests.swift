#if Azure
  import Foundation
  import RangeIO
  import RangeIORemote
  import Testing

  @testable import RangeIOAzure

  struct SharedKeyTests {
    @Test func `every signature equals the vendor's`() throws {
      let table = try SignatureCase.table()
      #expect(table.count == 200)
      for one in table where one.kind != "sas" {
        let key = try SharedKey(account: #require(one.account), key: #require(one.key))
        #expect(try key.authorization(#require(one.method), one.request()) == one.authorization, "\(one)")
      }
    }

    @Test func `a blob is where the vendor's client looks for it`() throws {
      for one in try SignatureCase.table() where one.kind == "client" {
        let address = try AzureAddress(
          account: #require(one.account), container: #require(one.container), blob: #require(one.blob),
          versionID: one.versionID, snapshot: one.snapshot)
        let url = try BlobEndpoint(#require(one.endpoint), name: "the endpoint").url(of: address)
        let expected = try #require(one.url)
        // The vendor leaves the colons of a snapshot as they are; decoded it is the same.
        #expect(url.text.prefix { $0 != "?" } == expected.prefix { $0 != "?" }, "\(one)")
        let query = try one.request().url.query?.removingPercentEncoding
        #expect(url.query?.removingPercentEncoding == query, "\(one)")
      }
    }

    @Test func `what is signed is what the documentation says`() throws {
      let url = try ObjectURL("https://maps.blob.core.windows.net/tiles/a%20b?versionid=2026%3A&Timeout=30&timeout=20")
      let fields = HeaderFields([
        "Accept-Encoding": "identity", "Range": "bytes=0-99", "If-Match": "\"a\"", "x-ms-version": "v",
        "X-MS-Date": "d",
        "Content-Length": "0", "User-Agent": "x",
      ])
      let text = SharedKey.textToSign("GET", PreparedRequest(url: url, fields: fields), account: "maps")
      #expect(
        text == "GET\n\n\n\n\n\n\n\n\"a\"\n\n\nbytes=0-99\nx-ms-date:d\nx-ms-version:v\n/maps/tiles/a%20b\n"
          + "timeout:20,30\nversionid:2026:")
    }

    @Test func `hyphens count last in the order of names`() {
      let names = [
        "x-ms-a_b", "x-ms-a1", "x-ms-ab", "x-ms-a-b", "x-ms-abc", "x-ms-a-bc", "x-ms-version", "x-ms-version-x",
      ]
      for (index, name) in names.enumerated() {
        for (other, second) in names.enumerated() {
          #expect(HeaderOrder.precedes(name, second) == (index < other), "\(name) \(second)")
        }
      }
    }

    @Test(arguments: ["no key", "", "a", "====", "😀"]) func `what is no key is refused, and not shown`(_ text: String) {
      let error = #expect(throws: ReadError.self) { try SharedKey(account: "maps", key: text) }
      #expect(error?.code == .invalidConfiguration)
      #expect(text.isEmpty || text == "a" || error.map { !"\($0)".contains(text) } == true)
    }
  }

  struct SASQueryTests {
    @Test func `signatures of the vendor pass unchanged, and end when they say`() throws {
      var count = 0
      for one in try SignatureCase.table() where one.kind == "sas" {
        let query = try #require(one.query)
        let signature = try SASQuery(query)
        #expect(signature.text == query && signature.expiry == one.expiry, "\(one)")
        #expect(try SASQuery("?\(query)\n") == signature)
        let blob = ObjectURL.encodedPath(try #require(one.blob))
        let address = try AzureAddress("https://maps.blob.core.windows.net/tiles/\(blob)?\(query)")
        #expect(address.sas == signature && address.blob == one.blob, "\(one)")
        #expect(!address.description.contains("sig=") || address.description.contains("…"), "\(address)")
        count += 1
      }
      #expect(count == 35)
    }

    @Test(arguments: ["", "?", "sv=1&se=2", "sig=hidden", "hidden", "sv=1&sig=hid den", "sv=1&sig=\"hidden\""])
    func `what is no signature is refused, and not shown`(_ text: String) {
      let error = #expect(throws: ReadError.self) { try SASQuery(text) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error.map { !"\($0)".contains("hid") } == true)
    }
  }

#endif
