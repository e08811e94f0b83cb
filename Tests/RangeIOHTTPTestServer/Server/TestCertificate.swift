#if HTTP

  import NIOSSL

  /// The certificate of test servers with TLS: self-signed, for `localhost` and `127.0.0.1`, from 2020 to 2120. Its key
  /// is here for everybody to read, so trust it in tests only.
  public enum TestCertificate {
    /// The certificate, which a client of the tests takes as a root.
    public static let pem = """
      -----BEGIN CERTIFICATE-----
      MIIBZjCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
      c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
      CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABI9Ey9coRaTNMuO4
      byPBlb+jljfI4ioB6ai5JhEHOjlhyXpROWpNl8HgO2Nr8Vic5VDSVsy/P4/xCi1N
      jw844L+jTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
      BTADAQH/MB0GA1UdDgQWBBRKSA9++AKS/GXpFkC7Iyvt3chybTAKBggqhkjOPQQD
      AgNHADBEAiAxiuReiWFHC8BemTdl7qVjlrZt4xcNPfx8JqN79bBBBAIgQtU6bQV7
      tblyhSQuk+InZhHXhOxu/C88ATC3hdtAgVE=
      -----END CERTIFICATE-----
      """

    /// Its private key.
    public static let key = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpDC1gAXeSB5DYOt6
      f7j+yhD96SqBL51mMboyf1CbFUehRANCAASPRMvXKEWkzTLjuG8jwZW/o5Y3yOIq
      AemouSYRBzo5Ycl6UTlqTZfB4Dtja/FYnOVQ0lbMvz+P8QotTY8POOC/
      -----END PRIVATE KEY-----
      """

    /// What a server with it says in the handshake, with these protocols to choose from.
    static func serverContext(protocols: [String]) throws -> NIOSSLContext {
      let certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
      configuration.applicationProtocols = protocols
      return try NIOSSLContext(configuration: configuration)
    }
  }

#endif
