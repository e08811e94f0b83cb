#if Serve
  import Foundation
  import HTTPTypes
  import RangeIO
  import Testing

  @testable import RangeIOServe

  /// Checks of passwords at the same time.
  struct AuthenticatorTests {
    private static let hash = "$5$rounds=1000$salt$CCvcOM6b7TEJDPb37Aec/9UpOg4QhPNAxPpL9ZzjTB7"

    private func request(_ credentials: String?) -> HTTPRequest {
      var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
      request.headerFields[.authorization] = credentials.map { "Basic " + Data($0.utf8).base64EncodedString() }
      return request
    }

    @Test func `requests at the same time share a check, and each gets its own result`() async throws {
      let authenticator = Authenticator(["anna": try PasswordHash(Self.hash)], maxWaiting: 64)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<64 {
          let isRight = index % 2 == 0
          let request = request(isRight ? "anna:secret" : "anna:secre")
          group.addTask { try await authenticator.user(request, of: "client") == (isRight ? "anna" : nil) }
        }
        for try await isAsExpected in group { #expect(isAsExpected) }
      }
      #expect(authenticator.knownUser(request("anna:secret")) == "anna")
      #expect(authenticator.knownUser(request("anna:secre")) == nil)
    }

    @Test func `where none may wait, what needs a check is sent away and the rest is not`() async throws {
      let authenticator = Authenticator(["anna": try PasswordHash(Self.hash)], maxWaiting: 0)
      await #expect(throws: Authenticator.IsBusy.self) {
        try await authenticator.user(request("anna:secret"), of: "client")
      }
      #expect(try await authenticator.user(request(nil), of: "client") == nil)
    }

    @Test func `who has waited leaves room for the next`() async throws {
      let authenticator = Authenticator(["anna": try PasswordHash(Self.hash)], maxWaiting: 1)
      for password in ["a", "b", "secret"] {
        let user = try await authenticator.user(request("anna:" + password), of: "client")
        #expect(user == (password == "secret" ? "anna" : nil))
      }
    }

    @Test func `one client's guesses leave room for the passwords of others`() async throws {
      let authenticator = Authenticator(["anna": try PasswordHash(Self.hash)], maxWaiting: 1024)
      let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<200 {
          let request = request("anna:\(index)")
          group.addTask {
            do {
              _ = try await authenticator.user(request, of: "guesser")
              return false
            } catch is Authenticator.IsBusy {
              return true
            }
          }
        }
        #expect(try await authenticator.user(request("anna:secret"), of: "other") == "anna")
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(refused > 0)
      // Those that have waited have left.
      #expect(try await authenticator.user(request("anna:201"), of: "guesser") == nil)
    }
  }
#endif
