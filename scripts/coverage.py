"""Says how many lines and regions of the core, by folder, and of each parser the tests ran: scripts/coverage.sh calls it."""

import json
import os
import re
import sys
from collections import defaultdict

# In hundredths of the lines.
PROMISED = {"core": 92, "parsers": 97}

root = os.getcwd() + "/"
parser = re.compile(r"/(?:%s)\.swift$" % os.environ["PARSERS"])


class Count:
    def __init__(self):
        self.covered = {"lines": 0, "regions": 0}
        self.count = {"lines": 0, "regions": 0}

    def add(self, summary):
        for kind in self.count:
            self.covered[kind] += summary[kind]["covered"]
            self.count[kind] += summary[kind]["count"]

    def share(self, kind):
        return 100 * self.covered[kind] / max(self.count[kind], 1)

    def line(self, name):
        lines = f"{self.covered['lines']} of {self.count['lines']} lines"
        return f"  {name:<58} {lines:>22} {self.share('lines'):6.1f} %   regions {self.share('regions'):6.1f} %"


core, parsers = Count(), Count()
folders, files = defaultdict(Count), {}
with open(sys.argv[1]) as summaries:
    for file in json.load(summaries)["data"][0]["files"]:
        path = file["filename"].removeprefix(root)
        if path.startswith("Sources/RangeIO/"):
            core.add(file["summary"])
            folders["/".join(path.split("/")[1:3]).removesuffix(".swift")].add(file["summary"])
        if re.match(r"(Sources|Plugins/[^/]+/Sources)/", path) and parser.search(path):
            parsers.add(file["summary"])
            files[path] = Count()
            files[path].add(file["summary"])

print("core:")
for name in sorted(folders):
    print(folders[name].line(name))
print(core.line("all of it"))
print("what takes bytes of strangers, files with lines that no test ran:")
for name in sorted(files, key=lambda name: files[name].share("lines")):
    if files[name].share("lines") < 100:
        print(files[name].line(name.split("/")[-1]))
print(parsers.line(f"all of {len(files)} files"))
few = [name for name, count in (("core", core), ("parsers", parsers)) if count.share("lines") < PROMISED[name]]
for name in few:
    print(f"coverage: {name}: less than {PROMISED[name]} % of the lines", file=sys.stderr)
sys.exit(1 if few else 0)
