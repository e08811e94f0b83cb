"""Draws the table of fleet.py as SVG: what the origin sent, and what reads took."""

COLORS = ["#9aa5b1", "#4c78a8", "#59a14f", "#e1812c"]


def write_plot(rows, path):
    """One group of bars for each phase, on the left bytes, on the right the 99th percentile."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 320" font-family="sans-serif" font-size="12">',
        '<rect width="760" height="320" fill="#fff"/>',
    ]
    panels = [("The origin sent, MB", lambda r: r["bytes"] / 1e6), ("99% of reads within, ms", lambda r: r["p99"])]
    for panel, (title, value) in enumerate(panels):
        left = 40 + panel * 370
        most = max(value(row) for row in rows) or 1
        parts.append(f'<text x="{left}" y="28" font-size="14" font-weight="bold">{title}</text>')
        for group, phase in enumerate(phases):
            x = left + group * 165
            parts.append(f'<text x="{x}" y="268">{phase}</text>')
            for index, name in enumerate(names):
                row = next(r for r in rows if r["name"] == name and r["phase"] == phase)
                height = 190 * value(row) / most
                parts.append(
                    f'<rect x="{x + index * 36}" y="{250 - height:.1f}" width="30" height="{height:.1f}" fill="{COLORS[index]}"/>'
                    f'<text x="{x + index * 36 + 15}" y="{244 - height:.1f}" text-anchor="middle" font-size="11">{value(row):.0f}</text>'
                )
    for index, name in enumerate(names):
        parts.append(
            f'<rect x="{40 + index * 170}" y="290" width="12" height="12" fill="{COLORS[index]}"/>'
            f'<text x="{58 + index * 170}" y="301">{name}</text>'
        )
    parts.append("</svg>\n")
    with open(path, "w") as file:
        file.write("\n".join(parts))
    print(f"drawn: {path}")
