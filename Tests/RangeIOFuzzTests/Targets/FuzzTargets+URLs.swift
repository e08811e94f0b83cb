import RangeIOSupport

@testable import RangeIO
@testable import RangeIORemote

#if S3
  @testable import RangeIOS3
#endif
#if Azure
  @testable import RangeIOAzure
#endif
#if GCS
  @testable import RangeIOGCS
#endif

extension FuzzTargets {
  private static let examples = [
    "https://user:p%40ss@host.example:8443/a/b%20c?x=1&versionId=2#f", "HTTP://[::1]:80/a", "https://h?q",
    "http://a/../b",
    "s3://bucket/key with space?versionId=3", "https://bucket.s3.eu-west-1.amazonaws.com/key",
    "az://account/container/blob",
    "https://account.blob.core.windows.net/c/b?sv=1&sig=x", "gs://bucket/object#1",
    "abfss://c@a.dfs.core.windows.net/p",
    "https://storage.googleapis.com/b/o?X-Goog-Expires=900&X-Goog-Date=20260102T030405Z",
    "https://h/k?X-Amz-Date=20260102T030405Z&X-Amz-Expires=9223372036854775807",
    "https://h/b?se=2026-01-02T03:04:05Z&sig=x",
  ]
  private static let parts = [
    "://", "@", ":", "[", "]", "?", "#", "%", "%2F", "..", "./", "//", "\u{212A}", "X-Amz-Expires=", "&Expires=",
    "versionId=",
    "9223372036854775807", "\u{0}", "\n", "arn:aws:s3:", ".s3.", ".blob.", "?sig=",
  ]

  static let urls: [FuzzTarget] = [
    FuzzTarget("urls", texts: examples, words: parts) { text in
      var input = FuzzInput(Array(text.utf8))
      let (text, link) = (input.line(), input.line())
      // `try?`: most texts are no URL.
      guard let url = try? ObjectURL(text) else { return }
      // `try?`: that it fails is the failure.
      let again = try? ObjectURL(url.text)
      try promise(again?.text == url.text && again?.origin == url.origin, "\(url.text) is \(again?.text ?? "no URL")")
      try promise(
        url.path.hasPrefix("/") && url.text.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "\(url.text) cannot be sent")
      try promise(!url.target.contains("#"), "a fragment is sent")
      if let password = url.password, password.utf8.count > 8, !url.text.contains(password) {
        try promise(!url.description.contains(password), "\(url.description) shows the password")
      }
      _ = (url.expiry, url.isLoopback, url.authority)
      // `try?`: not every link leads to a URL.
      guard let target = try? url.resolve(link) else { return }
      try promise(
        target.path.hasPrefix("/") && target.text.utf8.allSatisfy { $0 > 32 && $0 < 127 },
        "\(link) leads to \(target.text)")
    },
    FuzzTarget("stores", texts: examples, words: parts) { text in
      // `try?`: most texts name no object of these stores; no error may show a secret.
      #if S3
        _ = try? S3Address(text)
      #endif
      #if Azure
        _ = try? AzureAddress(text)
      #endif
      #if GCS
        _ = try? GCSAddress(text)
      #endif
    },
  ]
}
