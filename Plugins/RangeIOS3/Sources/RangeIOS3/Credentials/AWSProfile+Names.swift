#if S3
  internal import RangeIO

  extension AWSProfile {
    /// Settings that say who signs, or where requests go, and are used.
    private static let used: Set<String> = [
      "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_security_token", "credential_process",
      "credential_source", "endpoint_url", "login_session", "role_arn", "role_session_name", "source_profile",
      "sso_account_id", "sso_region", "sso_role_name", "sso_session", "sso_start_url", "use_dualstack_endpoint",
      "use_fips_endpoint", "web_identity_token_file", "s3_use_arn_region", "s3_disable_express_session_auth",
    ]

    /// Settings that begin like those, and cannot matter to what is read here: accounts and ends of keys that tools write
    /// down, the registration of a sign-in, where the token service gives the same credentials, services that are not used here, and the multi-region access
    /// points that are not supported anyway.
    private static let withoutEffect: Set<String> = [
      "aws_account_id", "aws_expiration", "aws_session_expiration", "aws_session_token_expiration",
      "aws_credentials_expiration", "sso_account_name", "sso_registration_scopes", "sso_auto_populated",
      "s3_us_east_1_regional_endpoint", "s3_disable_multiregion_access_points", "credential_process_timeout",
      "endpoint_discovery_enabled",
    ]

    /// How the names begin of the AWS tools' settings that say who signs or where requests go. Names that begin otherwise are
    /// about output, retries, transfers and the like, or belong to other tools: the AWS tools ignore those too.
    private static let decisive = [
      "aws_", "credential_", "endpoint_", "login_", "role_", "s3_", "sigv4", "source_", "sso_", "use_", "web_identity_",
    ]

    /// Checks that no setting is passed over that may say who signs, or where.
    ///
    /// - Throws: `invalidConfiguration`.
    func checkNames() throws(ReadError) {
      for name in settings.keys.sorted() where self[name] != nil && !Self.used.contains(name) {
        let isDecisive = Self.decisive.contains { name.hasPrefix($0) }
        if isDecisive, !name.contains("."), !Self.withoutEffect.contains(name) {
          throw invalid("has the setting \(name.prefix(64)), which is not supported: remove it, or use another profile")
        }
      }
    }
  }

#endif
