#if S3
  internal import RangeIO

  /// A service of AWS that is asked.
  enum AWSService: Sendable {
    case s3
    /// The token service (STS).
    case sts
    /// The portal of IAM Identity Center (SSO), and what renews its tokens.
    case sso, ssoOIDC
    /// What renews the sessions of `aws login`.
    case signIn

    /// As variables and settings name it: `AWS_ENDPOINT_URL_STS`.
    var setting: String {
      switch self {
      case .s3: "s3"
      case .sts: "sts"
      case .sso: "sso"
      case .ssoOIDC: "sso_oidc"
      case .signIn: "signin"
      }
    }
  }

  /// Which hosts of AWS are asked: the switches `use_fips_endpoint` and `use_dualstack_endpoint`. Equal to the endpoint
  /// rules of botocore, which the tests compare them with.
  struct AWSHosts: Hashable, Sendable {
    /// Hosts whose cryptography is validated by FIPS 140.
    var usesFIPS = false
    /// Hosts that have IPv6 addresses too.
    var usesDualStack = false

    private var fips: String { usesFIPS ? "-fips" : "" }

    /// Checks that no switch is passed over for a server that has a URL: such a server has no hosts to choose from.
    ///
    /// - Parameter what: that server, as the subject of a sentence.
    /// - Throws: `invalidConfiguration`.
    func check(_ what: String) throws(ReadError) {
      if usesDualStack {
        throw ReadError(
          .invalidConfiguration, "\(what) has no hosts of dual stack: switch use_dualstack_endpoint off")
      }
      if usesFIPS {
        throw ReadError(
          .invalidConfiguration,
          "\(what) has no hosts of FIPS 140, which are asked for: remove its URL, or switch use_fips_endpoint off")
      }
    }

    /// The host of a service other than S3.
    func host(of service: AWSService, in region: String) -> String {
      let partition = AWSPartition(of: region)
      let label =
        switch service {
        case .sso: "portal.sso"
        case .ssoOIDC: "oidc"
        default: service.setting
        }
      if usesDualStack { return "\(label)\(fips).\(region).\(partition.dualStackDomain)" }
      let isGovernment = partition.id == "aws-us-gov"
      if service == .signIn {
        if !usesFIPS { return "\(region).signin.\(partition.signInDomain)" }
        if isGovernment { return "signin-fips.\(partition.signInDomain)" }
      }
      // There every host is one of FIPS.
      return "\(label)\(isGovernment ? "" : fips).\(region).\(partition.domain)"
    }

    /// The host of S3 for a bucket, without the bucket.
    func host(of place: BucketPlace, in region: String) -> String {
      let service =
        switch place {
        case .bucket: "s3\(fips)"
        case .directory(let zone): "s3express\(fips)-\(zone)"
        case .accessPoint: "s3-accesspoint\(fips)"
        }
      return "\(service)\(usesDualStack ? ".dualstack" : "").\(region).\(AWSPartition(of: region).domain)"
    }
  }

#endif
