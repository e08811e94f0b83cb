#if Serve
  internal import NIOCore
  internal import NIOHTTP2
  internal import NIOSSL
  internal import RangeIO

  /// The certificate and the key with which a server speaks TLS, from files in PEM.
  ///
  /// TLS 1.3, and TLS 1.2 with an exchange of keys that are forgotten and a cipher that authenticates: what was recorded stays
  /// secret also from those who get the key later (RFC 9325, sections 3.1.1 and 4.2; RFC 9113, section 9.2.2).
  public final class ServerCertificate: Sendable {
    private let certificatePath: String
    private let keyPath: String
    private let context: Locked<NIOSSLContext>

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificatePath: the certificate of the server, and after it those that lead to a root which clients know.
    ///   - keyPath: the private key, not encrypted. Default: in the same file.
    /// - Throws: `ReadError` with `invalidConfiguration` if they cannot be read, or do not belong together.
    public init(certificatePath: String, keyPath: String? = nil) throws {
      self.certificatePath = certificatePath
      self.keyPath = keyPath ?? certificatePath
      context = Locked(try Self.context(certificatePath, self.keyPath))
    }

    /// Reads the files again. Connections that there are keep what they have.
    ///
    /// - Throws: as ``init(certificatePath:keyPath:)``. New connections get the certificate before.
    public func reload() throws {
      let new = try Self.context(certificatePath, keyPath)
      let before = context.withLock { context in
        defer { context = new }
        return context
      }
      withExtendedLifetime(before) {}
    }

    /// What a new connection begins with.
    func makeHandler() -> NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }

    private static func context(_ certificatePath: String, _ keyPath: String) throws -> NIOSSLContext {
      func failure(_ what: String, _ path: String, _ error: any Error) -> ReadError {
        ReadError(
          .invalidConfiguration,
          "cannot use the \(what) for TLS in \(path): \(error); it must be PEM, and not encrypted", cause: error)
      }
      let certificates: [NIOSSLCertificate]
      let key: NIOSSLPrivateKey
      do { certificates = try NIOSSLCertificate.fromPEMFile(certificatePath) } catch {
        throw failure("certificate", certificatePath, error)
      }
      do { key = try NIOSSLPrivateKey(file: keyPath, format: .pem) } catch { throw failure("key", keyPath, error) }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      // An idle client does not read the farewell.
      configuration.shutdownTimeout = .seconds(1)
      // Those of TLS 1.2; all of TLS 1.3 are such.
      configuration.cipherSuiteValues = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
      ]
      configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
      do { return try NIOSSLContext(configuration: configuration) } catch {
        throw failure("certificate with the key", "\(certificatePath) and \(keyPath)", error)
      }
    }
  }
#endif
