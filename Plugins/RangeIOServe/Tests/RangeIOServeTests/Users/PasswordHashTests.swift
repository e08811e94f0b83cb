import RangeIO
import RangeIOServe
import Testing

/// Hashes as `openssl passwd -5`, `htpasswd -2` and the C library make them.
struct PasswordHashTests {
  @Test(arguments: [
    ("$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA", "secret"),
    ("$5$saltsalt$2Op9/kVAQ1GN09Eemt0wtVjmvpnHswRioMKJ4ytV927", "pass:w\u{f6}rd"),
    ("$5$ToeHvtnUohM1zO42$3Q4dH9kl3qlWsCbvjQgn8pAF3AjqqfdtbMJ92fU0zO2", "secret"),
    (
      "$5$rounds=1000$BJjA3TZz5xX4DI6X$vZLxhquKVjX6DwiezJvAe8flcdKBDA.2uN8B4Lu53L2",
      String(repeating: "x", count: 100)
    ),
    ("$5$rounds=1400$short$CU5sEVQw7IzgIOL9qN21kPZWO3J.VR9yVJwbje9Kn81", "secret"),
  ])
  func `a password matches its hash, and no other one does`(text: String, password: String) throws {
    let hash = try PasswordHash(text)
    #expect(hash.matches(Array(password.utf8)))
    #expect(!hash.matches(Array(password.utf8.dropLast())) && !hash.matches([]))
    let nobody = PasswordHash.ofNobody(besides: [hash])
    #expect(!nobody.matches(Array(password.utf8)) && nobody.rounds == hash.rounds)
    #expect(!hash.matches([UInt8](repeating: 0, count: PasswordHash.maxPasswordBytes + 1)))
  }

  @Test func `who is not there costs what the slowest user costs, for the length of the salt too`() throws {
    let hashes = try [
      "$5$rounds=1400$short$CU5sEVQw7IzgIOL9qN21kPZWO3J.VR9yVJwbje9Kn81",
      "$5$ToeHvtnUohM1zO42$3Q4dH9kl3qlWsCbvjQgn8pAF3AjqqfdtbMJ92fU0zO2",
      "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
    ].map { try PasswordHash($0) }
    #expect(PasswordHash.ofNobody(besides: hashes).cost == hashes[1].cost)
    #expect(PasswordHash.ofNobody(besides: hashes.reversed()).cost == hashes[1].cost)
  }

  @Test(arguments: [
    "", "5ecret", "$5$", "$5$salt", "$5$salt$", "$5$salt$short", "$6$saltsalt$" + String(repeating: "a", count: 86),
    "$2y$05$" + String(repeating: "a", count: 53), "$5$aSaltThatIsTooLong$" + String(repeating: "a", count: 43),
    "$5$salt$" + String(repeating: "\u{e9}", count: 43), "$5$rounds=x$salt$" + String(repeating: "a", count: 43),
    "$5$rounds=1000001$salt$" + String(repeating: "a", count: 43), "{SHA}5ecret", "apr1$5ecret",
  ])
  func `what is no such hash is refused, and not shown`(text: String) {
    let error = #expect(throws: ReadError.self) { _ = try PasswordHash(text) }
    #expect(error?.code == .invalidConfiguration && error?.message.contains("5ecret") == false)
  }
}
