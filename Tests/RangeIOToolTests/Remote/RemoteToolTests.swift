#if Tool
import Foundation
import Testing

/// Sources behind URLs, with the tool as a process. No server is needed: nothing listens on the port that is named.
@Suite(.serialized) struct RemoteToolTests {
  private static let secrets = ["hunter2", "5ecretsignature", "5ecrettoken"]

  @Test func `secrets are in no message, whatever fails`() async throws {
    let directory = try TemporaryDirectory()
    let url = "http://user:hunter2@127.0.0.1:1/object?X-Amz-Signature=5ecretsignature"
    let header = ["--header", "Authorization: Bearer 5ecrettoken"]
    for arguments in [
      ["info", url], ["read", url] + header, ["cat", url, "--stats"] + header, ["explain", url],
      ["copy", url, directory("copy")] + header, ["read", url, "--growing"],
      ["read", url, "--header", "5ecrettoken"], ["read", url, "--header", "Range: 5ecrettoken"],
      ["read", url, "--region", "x"] + header,
    ] {
      let result = try await tool(arguments)
      #expect(result.code != 0 && result.output.isEmpty, "\(arguments)")
      for secret in Self.secrets { #expect(!result.errors.contains(secret), "\(arguments): \(result.errors)") }
    }
    #expect(try directory.names == [])
  }

  @Test func `a source that this build does not know is told with what to do`() async throws {
    #if !HTTP
    let result = try await tool("info", "https://127.0.0.1:1/object")
    #expect(result.code == 3 && result.hasOneLineOfErrors)
    #expect(
      result.errors.contains("built without HTTP: build it with --traits Tool,HTTP,S3,Azure,GCS"), "\(result.errors)")
    #endif
    #if !S3
    let object = try await tool("cat", "s3://bucket/key", "--no-sign")
    #expect(object.code == 3 && object.errors.contains("built without S3"), "\(object.errors)")
    #endif
    #if !Azure
    let blob = try await tool("cat", "az://account/container/blob", "--no-sign")
    #expect(blob.code == 3 && blob.errors.contains("built without Azure"), "\(blob.errors)")
    #endif
    // All.
    let growing = try await tool("cat", "https://127.0.0.1:1/object", "--growing")
    #expect(growing.code == 2 && growing.errors.contains("--growing is for files"), "\(growing.errors)")
  }

  @Test func `a file whose path looks like a URL is read with a dot before it`() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory("http:"), withIntermediateDirectories: false)
    _ = try directory.file("http:/object", Array("bytes".utf8))
    let result = try await tool(
      ["-c", "cd \"$1\" && exec \"$0\" cat ./http://object", ToolProcess.path, directory.path], program: "/bin/sh")
    #expect(result.code == 0 && result.output == Array("bytes".utf8), "\(result.errors)")
  }
}
#endif
