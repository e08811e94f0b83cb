/// A source that knows how far ahead of its consumer a stream is to ask.
protocol StreamedSource: RangeSource {
  /// The number of windows of a mebibyte that are worth asking for while another one is waited for.
  var windowsAhead: Int { get }
}
