#if GCS

  extension GCSSource {
    /// Which of the two APIs of Google Cloud Storage objects are requested by. They give the same bytes.
    @nonexhaustive
    public enum API: Hashable, Sendable {
      /// `GET /bucket/object`. The only one that HMAC keys are good for.
      case xml
      /// `GET /storage/v1/b/bucket/o/object?alt=media`, as emulators have it.
      case json
    }
  }

#endif
