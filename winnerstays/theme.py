"""The look that pages and reports share: design tokens as one style sheet, light and dark."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
TOKENS = (ASSETS / "tokens.css").read_text(encoding="utf-8")
"""CSS custom properties, to be put before a page's own style: `--paper`, `--ink`, `--accent`, `--good`, `--bad`, ..."""
