"""Names that harm an output which does not clean them: formulas, surrogates, control sequences, markup, long texts."""

import re

HOSTILE_TEXTS = {
    "formula": "$x$",
    "open-formula": r"$\frac{",
    "markup-of-formulas": r"a_b^{c\ $",
    "surrogate": "\ud800",
    "null": "\x00",
    "terminal-title": "\x1b]0;title\x07",
    "terminal-colour": "\x1b[31mred\x9b0m",
    "script": "</script><script>alert(1)</script>",
    "comment": "--><!-- ]]>",
    "spreadsheet-formula": "=1+1",
    "table": 'a,"b",c|d\te',
    "lines": "a\nb\r\nc\u2028d",
    "long": "W" * 10_000,
    "right-to-left": "\u202egnp.exe",
    "emoji": "😀👩\u200d🚀",
    "combining": "e" + "\u0301" * 50,
    "not-in-xml": "\ufffe\uffff",
}
_FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\ufffe\uffff]")


def find_forbidden_characters(text: str) -> list[str]:
    """Return the characters of an output that no terminal, page or file should receive, except line ends."""
    return _FORBIDDEN.findall(text)
