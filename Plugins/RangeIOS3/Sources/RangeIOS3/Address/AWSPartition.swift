#if S3

  /// A partition of AWS: regions that share accounts and domains.
  ///
  /// Source: `partitions.json` of the AWS tools.
  struct AWSPartition: Equatable, Sendable {
    /// As ARNs have it.
    let id: String
    /// How the names of its regions begin.
    private let prefix: String
    /// The domain of its services.
    let domain: String
    /// The domain of services that are reached by IPv6 too. S3 does not use it.
    let dualStackDomain: String
    /// The domain that people sign in at.
    let signInDomain: String

    /// The partition of a region. A region that is not in the table is in the first one.
    init(of region: String) {
      self =
        Self.others.first { region.hasPrefix($0.prefix) }
        ?? Self("aws", "", "amazonaws.com", "api.aws", "aws.amazon.com")
    }

    private init(_ id: String, _ prefix: String, _ domain: String, _ dualStackDomain: String, _ signInDomain: String) {
      self.id = id
      self.prefix = prefix
      self.domain = domain
      self.dualStackDomain = dualStackDomain
      self.signInDomain = signInDomain
    }

    private static let others = [
      Self("aws-cn", "cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn", "amazonaws.cn"),
      Self("aws-us-gov", "us-gov-", "amazonaws.com", "api.aws", "amazonaws-us-gov.com"),
      Self("aws-eusc", "eusc-", "amazonaws.eu", "api.amazonwebservices.eu", "amazonaws-eusc.eu"),
      Self("aws-iso", "us-iso-", "c2s.ic.gov", "api.aws.ic.gov", "c2shome.ic.gov"),
      Self("aws-iso-b", "us-isob-", "sc2s.sgov.gov", "api.aws.scloud", "sc2shome.sgov.gov"),
      Self("aws-iso-e", "eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk", "csphome.adc-e.uk"),
      Self("aws-iso-f", "us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov", "csphome.hci.ic.gov"),
    ]
  }

#endif
