#if S3
  internal import RangeIOSupport

  extension RequestSigner {
    /// Signs with `credentials` for a service of AWS, or a store like S3, in `region`.
    init(
      credentials: S3Credentials, region: String, service: String = "s3", form: SignatureForm = .amazon,
      keys: SigningKeys
    ) {
      self.init(
        form, keyID: credentials.accessKeyID, secret: credentials.secretAccessKey,
        sessionToken: credentials.sessionToken, region: region, service: service, keys: keys)
    }
  }

#endif
