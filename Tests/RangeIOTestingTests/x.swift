// The tests of the tools that tests use.
