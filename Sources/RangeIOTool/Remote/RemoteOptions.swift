#if Tool
import ArgumentParser

/// The options of the commands that take URLs.
struct RemoteOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("H")],
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
  @Option(
    help: ArgumentHelp("For a URL: trust the certificates in this file (PEM), too.", valueName: "file"),
    completion: .file())
  var cacert: String?
  @Flag(help: "For a URL: read an object that is stored with an encoding, such as gzip, as it is stored.")
  var acceptEncoded = false
  @Flag(
    help: "For http:// and https://: tell versions by time and size, not by tags: for servers whose tags differ.")
  var trustTimes = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      For http:// and https://: what the shell runs when the URL ends, or the server refuses it. It prints a new URL of \
      the same object, and nothing else. Other users see it in the list of processes.
      """,
      valueName: "command"))
  var renew: String?
  @Option(help: "For s3://: the profile of the AWS configuration. Default: as the AWS tools choose.")
  var profile: String?
  @Option(
    help: ArgumentHelp(
      "For s3://, az:// and gs://: the URL of a store like S3, of the account's blobs, or of a store like Google's.",
      valueName: "url"))
  var endpoint: String?
  @Option(help: "For s3://: the region of the bucket. Default: found out.")
  var region: String?
  @Option(help: "For az://container/blob: the storage account, so that the address need not name it.")
  var account: String?
  @Option(
    help: ArgumentHelp(
      "For az:// and abfss://: the file with a shared access signature (-: standard input).", valueName: "file"),
    completion: .file())
  var sas: String?
  @Option(help: ArgumentHelp("The same from a variable of the environment.", valueName: "variable"))
  var sasEnv: String?
  @Option(help: "For gs://: the project that pays, of a bucket whose readers pay.")
  var project: String?
  @Flag(help: "For s3://, az:// and gs://: read without credentials.")
  var noSign = false

  /// The header fields, of which standard input and pipes can be read once only.
  func headers() throws(ToolFailure) -> [RemoteHeader] {
    var headers: [RemoteHeader] = []
    for text in header {
      // No field's name begins so.
      headers +=
        text.first == "@"
        ? try HeaderLines.file(String(text.dropFirst())) : [try RemoteHeader(parsing: text)]
    }
    for name in headerEnv { headers += try HeaderLines.environment(name) }
    return headers
  }

  /// Throws if they are in standard input, which is a source.
  func leaveStandardInput() throws(ToolFailure) {
    guard !header.contains("@-"), sas != "-" else {
      throw .usage("standard input is a source, so it cannot have headers or secrets: write them to a file")
    }
  }

  /// The shared access signature, which stands where other processes do not see it.
  private func signature() throws(ToolFailure) -> HiddenText? {
    switch (sas, sasEnv) {
    case (nil, nil): return nil
    case (let path?, nil): return try HiddenText(file: path, of: "--sas")
    case (nil, let variable?): return try HiddenText(environment: variable, of: "--sas-env")
    default: throw .usage("--sas and --sas-env: give one of them")
    }
  }

  /// The settings that the options give to the source called `name`.
  ///
  /// - Parameters:
  ///   - patience: of commands that have these options.
  ///   - headers: what ``headers()`` has returned, where several sources share it.
  func checked(
    for name: SourceName, _ patience: PatienceOptions? = nil, headers: [RemoteHeader]? = nil
  ) throws(ToolFailure) -> RemoteSettings {
    var settings = RemoteSettings(profile: profile, endpoint: endpoint, region: region, signs: !noSign)
    if let cacert { settings.certificates = try PathArgument.path(cacert, for: "--cacert") }
    settings.acceptsEncoded = acceptEncoded
    settings.trustsTimes = trustTimes
    settings.renew = renew
    (settings.account, settings.project) = (account, project)
    settings.signature = try signature()
    try patience?.set(&settings)
    settings.headers = if let headers { headers } else { try self.headers() }
    try settings.check(for: name)
    return settings
  }
}
#endif
