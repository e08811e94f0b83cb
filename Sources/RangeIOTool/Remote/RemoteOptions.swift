import ArgumentParser

/// The options of the commands that take URLs.
struct RemoteOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "For a URL: send this with each request to that server. May be repeated.",
      valueName: "name: value"))
  var header: [String] = []
  @Option(help: "For s3://: the profile of the AWS configuration. Default: as the AWS tools choose.")
  var profile: String?
  @Option(help: ArgumentHelp("For s3://: the URL of a store like S3.", valueName: "url"))
  var endpoint: String?
  @Option(help: "For s3://: the region of the bucket. Default: found out.")
  var region: String?
  @Flag(help: "For s3://: read without credentials.")
  var noSign = false

  /// What the options say for the source called `name`.
  func checked(for name: SourceName) throws(ToolFailure) -> RemoteSettings {
    var settings = RemoteSettings(profile: profile, endpoint: endpoint, region: region, signs: !noSign)
    for text in header { settings.headers.append(try RemoteHeader(parsing: text)) }
    try settings.check(for: name)
    return settings
  }
}
