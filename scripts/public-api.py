"""Leaves out what is not public of what swift-api-digester has dumped, which has what is `package` as well. Changes the files."""
import json
import sys


def public(node, hidden):
    for key in ("children", "accessors"):
        if key in node:
            node[key] = [public(child, hidden) for child in node[key] if not child.get("isInternal")]
    if "conformances" in node:
        node["conformances"] = [each for each in node["conformances"] if each.get("usr") not in hidden]
    return node


dumps = {name: json.load(open(name)) for name in sys.argv[1:]}
hidden = {node.get("usr") for dump in dumps.values() for node in dump["ABIRoot"]["children"] if node.get("isInternal")}
for name, dump in dumps.items():
    if not public(dump["ABIRoot"], hidden)["children"]:
        sys.exit(f"{name}: nothing public was found")
    with open(name, "w") as file:
        json.dump(dump, file)
