import ArgumentParser
@main struct BenchmarkCommand: AsyncParsableCommand { func run() async throws {} }
