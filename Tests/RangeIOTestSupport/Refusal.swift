/// What tests throw where something fails by design.
enum Refusal: Error { case no }
