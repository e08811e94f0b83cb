// What the samples of plugins that need a trait use and do not declare: see scripts/check-samples.sh.
import Logging
import NIOCore
import NIOHTTP1
import RangeIO
import RangeIOHTTP
import RangeIOTiers
import ServiceLifecycle

let url = "https://example.com/planet.pmtiles"
let configuration = RemoteConfiguration()
let secret = ""
let logger = Logger(label: "samples")
let tiers: TieredStore = sample()
let server: any Service = sample()

struct Tokens: Sendable {
  func fresh(not refused: HTTPCredentials.Value?) async throws -> String { "" }
}
let tokens = Tokens()

struct URLService: Sendable {
  func signedURL(for name: String) async throws -> String { "" }
}
let service = URLService()

/// A framework's response.
struct Response {
  enum Status { case ok }
  @discardableResult init(status: Status, body: ResponseBody) {}
}
struct ResponseBody {
  init<Buffers: AsyncSequence>(asyncSequence: Buffers) where Buffers.Element == ByteBuffer {}
}
let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart> = sample()
let channel: any Channel = sample()
let (old, new): ([UInt8], [UInt8]) = ([], [])
let (key, nonce, prefix): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
nonisolated(unsafe) var disk = DiskConfiguration(directory: path, limit: .gibibytes(1))
