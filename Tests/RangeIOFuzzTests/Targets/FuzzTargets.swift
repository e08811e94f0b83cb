/// All targets.
enum FuzzTargets {
  static let all: [FuzzTarget] =
    sizes + spill + codecs + traces + journals + urls + answers + replies + serving + listings + credentials + tiers

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
