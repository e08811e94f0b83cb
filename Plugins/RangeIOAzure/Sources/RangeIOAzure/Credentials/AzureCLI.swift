#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// What `az login` left.
  enum AzureCLI {
    /// From a directory of the system's, as the vendor's libraries run it: `az` would load settings from the present one.
    static let command = CredentialPlaces.Command(
      "cd /bin && exec az account get-access-token --resource https://storage.azure.com/ --output json",
      name: "az account get-access-token", timeLimit: 10)

    /// Asks `az` for a token for Azure Storage.
    static func token(_ places: CredentialPlaces) async throws -> AzureToken {
      let output: [UInt8]
      do { output = try await places.run(command) } catch let error as ReadError where error.code == .permissionDenied {
        throw ReadError(.permissionDenied, "\(error.message); install the Azure CLI, and sign in with az login")
      }
      guard let token = TokenDocument(output)?.token(at: places.now()) else {
        throw ReadError(
          .invalidResponse, "az account get-access-token printed no token: run it by hand, and sign in with az login")
      }
      return token
    }
  }

#endif
