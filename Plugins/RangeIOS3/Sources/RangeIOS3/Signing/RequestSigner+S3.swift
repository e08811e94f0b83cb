#if S3
  internal import RangeIOSupport

  extension RequestSigner {
    /// Signs with `credentials` for a service of AWS, or a store like S3, in `region`.
    init(credentials: S3Credentials, region: String, keys: SigningKeys) {
      self.init(
        .amazon, keyID: credentials.accessKeyID, secret: credentials.secretAccessKey,
        sessionToken: credentials.sessionToken, region: region, service: "s3", keys: keys)
    }
  }

#endif
