#if SharedCache
  import Foundation

  /// A certificate of engines with TLS: self-signed, from 2020 to 2120. Their key is here for everybody to read, so trust them in
  /// tests only.
  enum EngineCertificate {
    /// For the name `localhost`.
    case named
    /// For the address 127.0.0.1.
    case addressed

    /// Writes it and its key to `directory`, and returns the paths.
    func write(to directory: String) throws -> (certificate: String, key: String) {
      let files = (certificate: directory + "/certificate.pem", key: directory + "/key.pem")
      try text.write(toFile: files.certificate, atomically: true, encoding: .utf8)
      try Self.key.write(toFile: files.key, atomically: true, encoding: .utf8)
      return files
    }

    private var text: String {
      switch self {
      case .named: Self.ofName
      case .addressed: Self.ofAddress
      }
    }

    private static let ofName = """
      -----BEGIN CERTIFICATE-----
      MIIBQjCB6KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
      dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
      bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESnlcdOO5Nmt5azMG
      oiLgSSFrUZa7kvhn8Rmbek5plXGrcL4qSFT6xTiA8eGbBHm8GehWd6LvPr0qFUPe
      Vw7lWKMpMCcwFAYDVR0RBA0wC4IJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8w
      CgYIKoZIzj0EAwIDSQAwRgIhAJSf7WZfn+meLfa1pPXHsV1hc8PrZZKw7kZUcXDk
      7qRIAiEAm4eLHYjfXdoHWQQSVE7xjxVgirLElW5yLZ9z7CDXmNs=
      -----END CERTIFICATE-----

      """

    private static let ofAddress = """
      -----BEGIN CERTIFICATE-----
      MIIBPDCB46ADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
      dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
      bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESnlcdOO5Nmt5azMG
      oiLgSSFrUZa7kvhn8Rmbek5plXGrcL4qSFT6xTiA8eGbBHm8GehWd6LvPr0qFUPe
      Vw7lWKMkMCIwDwYDVR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTADAQH/MAoGCCqG
      SM49BAMCA0gAMEUCIQDJ+kJAByqQpDCaooAvcfl6ZHf6puQoxbeYJJYbPYcWsAIg
      NsEIvUkHzMkIziw+PWXqsGnM7r4LPhfFoSc4BPzwpps=
      -----END CERTIFICATE-----

      """

    private static let key = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgta9gss3q4QzDh7f5
      UguLcbgUQIqK136lAAjwzf/PxLKhRANCAARKeVx047k2a3lrMwaiIuBJIWtRlruS
      +GfxGZt6TmmVcatwvipIVPrFOIDx4ZsEebwZ6FZ3ou8+vSoVQ95XDuVY
      -----END PRIVATE KEY-----

      """
  }
#endif
