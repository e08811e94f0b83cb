/// The media type of an object, by the end of its name. What is served is read by programs, so a short table will do.
public enum MediaTypes {
  /// The type of bytes of which no more is known.
  public static let unknown = "application/octet-stream"

  /// The type of an object of this name; ``unknown`` if its end says nothing.
  public static func type(ofName name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    return types[name[name.utf8.index(after: dot)...].lowercased()] ?? unknown
  }

  private static let types = [
    "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif", "bin": unknown, "bmp": "image/bmp",
    "bz2": "application/x-bzip2", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "flac": "audio/flac", "geojson": "application/geo+json", "gif": "image/gif", "gz": "application/gzip",
    "htm": "text/html; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json",
    "log": "text/plain; charset=utf-8", "m3u8": "application/vnd.apple.mpegurl", "m4a": "audio/mp4",
    "m4s": "video/iso.segment", "m4v": "video/mp4", "md": "text/markdown; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "mkv": "video/x-matroska", "mov": "video/quicktime",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "mpd": "application/dash+xml", "oga": "audio/ogg", "ogg": "audio/ogg",
    "ogv": "video/ogg", "opus": "audio/ogg", "parquet": "application/vnd.apache.parquet",
    "pbf": "application/x-protobuf",
    "pdf": "application/pdf", "pmtiles": "application/vnd.pmtiles", "png": "image/png",
    "sqlite": "application/vnd.sqlite3", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
    "tiff": "image/tiff", "ts": "video/mp2t", "txt": "text/plain; charset=utf-8", "vtt": "text/vtt; charset=utf-8",
    "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
    "woff2": "font/woff2", "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
    "zip": "application/zip", "zst": "application/zstd",
  ]
}
