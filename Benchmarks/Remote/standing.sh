# Sourced by the scripts beside it: a folder, `$work`, and servers whose numbers are put into `servers`, both gone at the end.
work=$(mktemp -d)
servers=()
end() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
