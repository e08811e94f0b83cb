#if HTTP

  /// A way in which the targets of requests are signed, or carry a session: what stands in a URL after its host.
  public struct SignedTarget: Sendable, CustomStringConvertible {
    /// Who signs so.
    public let description: String
    /// The path and the query, with the object's name as `OBJECT` and each secret as `SECRET`.
    private let form: String

    private init(_ who: String, _ form: String) { (description, self.form) = (who, form) }

    /// The secret in every URL.
    public static let secret = "hunter2"

    /// The target for the object called `name`.
    public func text(_ name: String) -> String {
      form.replacing("OBJECT", with: name).replacing("SECRET", with: Self.secret)
    }

    /// The path at which a server finds that object.
    public func path(_ name: String) -> String { ServerRequest(method: "GET", target: text(name)).path }

    /// Those that are known, by their documentation.
    public static let all = [
      SignedTarget("nginx secure_link", "/OBJECT?md5=SECRET&expires=4102444800"),
      SignedTarget("nginx secure_link, short", "/OBJECT?st=SECRET&e=4102444800"),
      SignedTarget("Cloudflare", "/OBJECT?verify=1700000000-SECRET%3D"),
      SignedTarget("Cloudflare Stream", "/OBJECT?token=SECRET"),
      SignedTarget("Azure SAS", "/OBJECT?sv=2024-11-04&se=2099-01-01&sr=b&sp=r&sig=SECRET"),
      SignedTarget(
        "Azure user delegation", "/OBJECT?skoid=SECRET&sktid=SECRET&sv=2024-11-04&se=2099-01-01&sr=b&sp=r&sig=SECRET"),
      SignedTarget("Azure without a version", "/OBJECT?se=2099-01-01&sig=SECRET"),
      SignedTarget("Azure Functions", "/OBJECT?code=SECRET"),
      SignedTarget("Azure subscription", "/OBJECT?subscription-key=SECRET"),
      SignedTarget(
        "GCS, version 4",
        "/OBJECT?X-Goog-Algorithm=A&X-Goog-Credential=SECRET&X-Goog-Date=20990101T000000Z&X-Goog-Expires=60"
          + "&X-Goog-SignedHeaders=host&X-Goog-Signature=SECRET&generation=3"),
      SignedTarget("GCS, version 2", "/OBJECT?GoogleAccessId=SECRET&Expires=4102444800&Signature=SECRET"),
      SignedTarget("Google Cloud CDN", "/OBJECT?Expires=4102444800&KeyName=SECRET&Signature=SECRET"),
      SignedTarget("Google Media CDN", "/edge-cache-token=Expires=4102444800~Signature=SECRET/OBJECT"),
      SignedTarget("Google API key", "/OBJECT?alt=media&key=SECRET"),
      SignedTarget("OAuth", "/OBJECT?alt=media&access_token=SECRET"),
      SignedTarget(
        "S3, version 4",
        "/OBJECT?X-Amz-Algorithm=A&X-Amz-Credential=SECRET&X-Amz-Date=20990101T000000Z&X-Amz-Expires=60"
          + "&X-Amz-SignedHeaders=host&versionId=7&X-Amz-Security-Token=SECRET&X-Amz-Signature=SECRET"),
      SignedTarget("S3, version 2", "/OBJECT?AWSAccessKeyId=SECRET&Expires=4102444800&Signature=SECRET"),
      SignedTarget("CloudFront", "/OBJECT?Expires=4102444800&Signature=SECRET&Key-Pair-Id=SECRET"),
      SignedTarget("CloudFront with a policy", "/OBJECT?Policy=SECRET&Signature=SECRET&Key-Pair-Id=SECRET"),
      SignedTarget("Akamai hdnts", "/OBJECT?hdnts=exp=4102444800~acl=/*~hmac=SECRET"),
      SignedTarget("Akamai hdnea", "/OBJECT?hdnea=st=1~exp=4102444800~hmac=SECRET"),
      SignedTarget("Akamai __token__", "/OBJECT?__token__=exp=4102444800~hmac=SECRET"),
      SignedTarget("Akamai __gda__", "/OBJECT?__gda__=4102444800_SECRET"),
      SignedTarget("Akamai in the path", "/hdnts=exp=4102444800~acl=*~hmac=SECRET/OBJECT"),
      SignedTarget("Akamai in the path, alone", "/hmac=SECRET/OBJECT"),
      SignedTarget("Fastly", "/OBJECT?fastly_token=4102444800_SECRET"),
      SignedTarget("Bunny", "/OBJECT?token=SECRET&expires=4102444800"),
      SignedTarget("Bunny in the path", "/bcdn_token=SECRET&expires=4102444800&token_path=%2F/OBJECT"),
      SignedTarget("KeyCDN", "/OBJECT?expire=4102444800&token=SECRET"),
      SignedTarget("CDN77", "/OBJECT?secure=SECRET,4102444800"),
      SignedTarget("Limelight", "/OBJECT?p=10&e=4102444800&h=SECRET"),
      SignedTarget("Edgecast", "/OBJECT?SECRET"),
      SignedTarget("a token in base64", "/OBJECT?SECRET=="),
      SignedTarget("Alibaba OSS", "/OBJECT?OSSAccessKeyId=SECRET&Expires=4102444800&Signature=SECRET"),
      SignedTarget(
        "Alibaba OSS, version 4", "/OBJECT?x-oss-credential=SECRET&x-oss-date=20990101T000000Z&x-oss-signature=SECRET"),
      SignedTarget("Alibaba CDN", "/OBJECT?auth_key=4102444800-0-0-SECRET"),
      SignedTarget("Tencent COS", "/OBJECT?q-sign-algorithm=sha1&q-ak=SECRET&q-sign-time=1;2&q-signature=SECRET"),
      SignedTarget("Tencent CDN", "/OBJECT?sign=SECRET&t=4102444800"),
      SignedTarget("Huawei OBS", "/OBJECT?AccessKeyId=SECRET&Expires=4102444800&Signature=SECRET"),
      SignedTarget("Qiniu", "/OBJECT?e=4102444800&token=SECRET:SECRET="),
      SignedTarget("Baidu BOS", "/OBJECT?authorization=bce-auth-v1%2FSECRET%2F2099%2F60%2Fhost%2FSECRET"),
      SignedTarget("Volcengine", "/OBJECT?X-Tos-Credential=SECRET&X-Tos-Signature=SECRET"),
      SignedTarget("Backblaze B2", "/OBJECT?Authorization=SECRET"),
      SignedTarget("Dropbox", "/OBJECT?rlkey=SECRET&st=SECRET&dl=1"),
      SignedTarget("OneDrive", "/OBJECT?tempauth=SECRET"),
      SignedTarget("OneDrive, older", "/OBJECT?resid=SECRET&authkey=!SECRET"),
      SignedTarget("Slack", "/OBJECT?pub_secret=SECRET"),
      SignedTarget("Slack, exported", "/OBJECT?t=xoxe-SECRET"),
      SignedTarget("Discord", "/OBJECT?ex=6553f100&is=65418c00&hm=SECRET"),
      SignedTarget("GitHub", "/OBJECT?jwt=SECRET"),
      SignedTarget("GitLab", "/OBJECT?private_token=SECRET&job_token=SECRET"),
      SignedTarget("OpenStack Swift", "/OBJECT?temp_url_sig=SECRET&temp_url_expires=4102444800"),
      SignedTarget("Artifactory", "/OBJECT?X-JFrog-Art-Api=SECRET"),
      SignedTarget("Facebook", "/OBJECT?_nc_sid=SECRET&oh=SECRET&oe=SECRET"),
      SignedTarget("Zoom", "/OBJECT?pwd=SECRET"),
      SignedTarget("Nextcloud", "/OBJECT?downloadStartSecret=SECRET"),
      SignedTarget("Servlet", "/OBJECT;jsessionid=SECRET"),
      SignedTarget("Servlet, within the path", "/a;jsessionid=SECRET/OBJECT;v=SECRET?x=1"),
      SignedTarget("PHP", "/OBJECT?PHPSESSID=SECRET"),
      SignedTarget("Mapbox", "/OBJECT?access_token=pk.SECRET"),
      SignedTarget("Earthdata", "/OBJECT?A-userid=SECRET"),
      SignedTarget("Kaltura", "/OBJECT?ks=SECRET"),
      SignedTarget("imgix", "/OBJECT?w=10&s=SECRET"),
      SignedTarget("a name that is encoded", "/OBJECT?%73ig=SECRET&%76ersionId=1"),
      SignedTarget("semicolons", "/OBJECT?versionId=1;sig=SECRET"),
      SignedTarget("a query that is encoded", "/OBJECT%3Fsig%3DSECRET"),
    ]
  }

#endif
