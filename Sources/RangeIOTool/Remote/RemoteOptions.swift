import ArgumentParser

/// The options of the commands that take URLs.
struct RemoteOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      For a URL: send this with each request to that server. May be repeated. @FILE: what stands in that file, one \
      header a line (-: in standard input), so that other users do not see it in the list of processes.
      """,
      valueName: "name: value"))
  var header: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The same from a variable of the environment, one header a line. May be repeated.", valueName: "variable"))
  var headerEnv: [String] = []
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
    for text in header {
      // No field's name begins so.
      settings.headers +=
        text.first == "@"
        ? try HeaderLines.file(String(text.dropFirst())) : [try RemoteHeader(parsing: text)]
    }
    for name in headerEnv { settings.headers += try HeaderLines.environment(name) }
    try settings.check(for: name)
    return settings
  }
}
