#if Azure
  internal import RangeIO

  extension AzureRefusal {
    /// The kind of error that a code is, and what to do about it.
    ///
    /// - Source: https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes
    func meaning(_ request: Request) -> (code: ReadError.Code, advice: String) {
      switch code {
      case "AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation",
        "ExpiredAuthenticationToken":
        (.permissionDenied, authenticationAdvice(request))
      case "AuthorizationPermissionMismatch", "InsufficientAccountPermissions", "UnauthorizedBlobRead":
        (.permissionDenied, permissionAdvice(request))
      case "AuthorizationFailure":
        (
          .permissionDenied,
          "the account's firewall may not let this machine in, or the signature is for another blob: check both"
        )
      case "AuthorizationProtocolMismatch": (.permissionDenied, "the signature is for https only: use an https address")
      case "AuthorizationSourceIPMismatch":
        (.permissionDenied, "the signature is for other addresses (sip): read from one of those, or get another")
      case "AuthorizationServiceMismatch": (.permissionDenied, "the signature is not for blobs: get one with ss=b")
      case "AuthorizationResourceTypeMismatch":
        (
          .permissionDenied,
          request.address.isContainer
            ? "the signature is not for containers: get one with srt=c"
            : "the signature is not for objects: get one with srt=o"
        )
      case "KeyBasedAuthenticationNotPermitted":
        (
          .permissionDenied,
          "the account permits no keys: sign in with Microsoft Entra ID, or get a user delegation SAS"
        )
      case "PublicAccessNotPermitted", "AuthenticationNotSupported":
        (.permissionDenied, "the account permits no anonymous reads: pass credentials")
      case "AccountIsDisabled": (.permissionDenied, "the account is disabled: see the portal")
      case "BlobNotFound", "ResourceNotFound": (.notFound, missingAdvice(request, "the blob's name"))
      case "ContainerNotFound", "ContainerDisabled", "ContainerBeingDeleted":
        (.notFound, missingAdvice(request, "the container's name"))
      case "BlobArchived":
        (.invalidResponse, "the blob is in the archive tier: rehydrate it to hot or cool, then read it")
      case "BlobBeingRehydrated": (.invalidResponse, "the blob is being rehydrated: read it when that has ended")
      case "BlobUsesCustomerSpecifiedEncryption":
        (
          .invalidResponse,
          "the blob is encrypted with a key of yours: put x-ms-encryption-key, x-ms-encryption-key-sha256 and "
            + "x-ms-encryption-algorithm into the configuration's headers"
        )
      case "InvalidQueryParameterValue", "UnsupportedQueryParameter":
        (.invalidResponse, "check the version ID or the snapshot, which are times as the service writes them")
      case "InvalidResourceName", "InvalidUri", "OutOfRangeInput":
        (.invalidResponse, "check the names of account, container and blob")
      case "InvalidHeaderValue":
        (
          .invalidResponse,
          "the server does not know the version \(AzureAuthority.serviceVersion) of the service: use a newer emulator"
        )
      case _? where status == 404: (.notFound, missingAdvice(request, "account, container and blob"))
      case _? where status == 401 || status == 403: (.permissionDenied, permissionAdvice(request))
      default: (.invalidResponse, "look the code up in the documentation of the Blob service")
      }
    }

    private func authenticationAdvice(_ request: Request) -> String {
      switch request.access {
      case .key:
        "check the key and the account that it belongs to, and that no proxy changes the path or the fields"
      case .sas(let query):
        query.expiry.map { $0 <= request.now } == true
          ? "the shared access signature has expired: get a new one, or pass .sas { … }, which is asked for new ones"
          : "the shared access signature is not valid for this \(request.address.isContainer ? "container" : "blob"), not yet, "
            + "or not any more: get a new one"
      case .token: "the token has expired, or is not for https://storage.azure.com/ and the account's tenant"
      case nil: "the container is not public: pass credentials instead of anonymous access"
      }
    }

    private func permissionAdvice(_ request: Request) -> String {
      switch request.access {
      case .key: "check that the key's account may read this"
      case .sas where request.address.isContainer:
        "the signature does not let its holder list the container: get one for the container (sr=c) with sp=l"
      case .sas: "the signature does not let its holder read this blob: get one with sp=r"
      case .token:
        "give the identity the role 'Storage Blob Data Reader' on the account or the container; being its owner is not "
          + "enough"
      case nil: "the container is not public: pass credentials instead of anonymous access"
      }
    }

    private func missingAdvice(_ request: Request, _ what: String) -> String {
      let moment = request.address.moment == BlobMoment() ? "" : ", and the version or snapshot"
      let secret = request.access == nil ? "; a container that is not public looks the same without credentials" : ""
      return "check \(what)\(moment)\(secret)"
    }
  }

#endif
