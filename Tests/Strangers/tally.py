"""A pytest plugin that counts: passed, not applicable, failed. Writes the counts to the file that TALLY names.

Cases that are not applicable stand, with the reason, in NOT_APPLICABLE of a module here, or of the plugin that NOT_APPLICABLE names.
A test that is skipped for any other reason has failed: nothing is left out unseen.
"""

import importlib
import os

import pytest

MARK = "not applicable: "
outcomes, reasons = {}, {}


def pytest_collection_modifyitems(items):
    plugin = os.environ.get("NOT_APPLICABLE")
    if plugin:
        why = importlib.import_module(plugin).NOT_APPLICABLE
        names = {item.name for item in items} | {item.originalname for item in items}
        if unknown := set(why) - names:
            raise pytest.UsageError(f"NOT_APPLICABLE of {plugin} has what is no test: {sorted(unknown)}")
        for item in items:
            if reason := why.get(item.name) or why.get(item.originalname):
                item.add_marker(pytest.mark.skip(reason=MARK + reason))
        return
    for module in {item.module for item in items}:
        for name, reason in getattr(module, "NOT_APPLICABLE", {}).items():
            outcomes[f"{module.__name__}: {name}"] = "not applicable"
            reasons[name] = reason


def pytest_runtest_logreport(report):
    before = outcomes.get(report.nodeid)
    if report.failed:
        outcomes[report.nodeid] = "failed"
    elif report.skipped:
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = text.removeprefix("Skipped: ")
        outcomes[report.nodeid] = "not applicable" if reason.startswith(MARK) else "failed"
        reasons[report.nodeid.split("::")[-1]] = reason.removeprefix(MARK)
    elif before is None and report.when == "call":
        outcomes[report.nodeid] = "passed"


def pytest_terminal_summary(terminalreporter):
    for name, reason in reasons.items():
        terminalreporter.write_line(f"- {name}: {reason}")
    counts = [list(outcomes.values()).count(kind) for kind in ("passed", "not applicable", "failed")]
    if path := os.environ.get("TALLY"):
        with open(path, "w") as file:
            print(sum(counts), *counts, file=file)
