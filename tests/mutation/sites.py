"""Places of C++ sources at which one small fault can be switched on, and the code with its switch.

Found in the text alone: conditions are negated, comparisons replaced by their neighbours, one-line
statements left out. All mutants are compiled into one program; the variable HONE_MUTANT chooses the
one that acts, so that hundreds of them take one build.
"""
import dataclasses
import re

SWITCH = """#pragma once
#include <cstdlib>
#pragma GCC diagnostic ignored "-Wreturn-type"
inline bool hone_mutant(int number) {
  static const int on = [] {
    const char* text = std::getenv("HONE_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return on == number;
}
"""

OPERAND = r"[\w.:\->\[\]]+(?:\(\))?"
COMPARISON = re.compile(rf"(?:(?<=[(!])|(?<=&& )|(?<=\|\| )|(?<== )|(?<=return ))"
                        rf"({OPERAND}) (<=|>=|==|!=|<|>) ({OPERAND})(?=\)| &&| \|\||;| \?)")
NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Without unreachable() and expect(): a correct program is the same without them.
CALL = re.compile(r"^ +(?!return\b|expect\(|unreachable\(|static_assert|throw\b|co_|using\b"
                  r"|delete\b)"
                  r"[\w.:\->\[\]*]+\(.*\);$")
ASSIGNMENT = re.compile(r"^ +(?!return\b)[\w.\->\[\]*]+ (=|\+=|-=|\|=) [^=].*;$")


@dataclasses.dataclass(frozen=True)
class Site:
    """A piece of a file: text[begin:end] becomes `code`, in which %d is the mutant's number."""
    begin: int
    end: int
    code: str
    words: str


def closing_parenthesis(text: str, start: int) -> int:
    """Returns where the parenthesis at `start` is closed, -1 if a string or a block comes first."""
    depth = 0
    for index in range(start, min(len(text), start + 600)):
        if text[index] in "\"'{;":
            return -1
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return -1


def conditions(text: str) -> list[Site]:
    """Conditions of `if` without declarations, negated."""
    found = []
    for match in re.finditer(r"\bif \(", text):
        start = match.end() - 1
        end = closing_parenthesis(text, start)
        condition = text[start + 1:end]
        if end < 0 or re.search(r"[^=!<>]=[^=]", condition):
            continue
        found.append(Site(start + 1, end, f"hone_mutant(%d) != static_cast<bool>({condition})",
                          "negated"))
    return found


def comparisons(text: str) -> list[Site]:
    """Comparisons of two plain operands, replaced by their neighbours."""
    found = []
    for match in COMPARISON.finditer(text):
        left, sign, right = match.groups()
        if "template" in text[max(0, match.start() - 20):match.start()]:
            continue
        other = f"{left} {NEIGHBOUR[sign]} {right}"
        found.append(Site(match.start(), match.end(),
                          f"(hone_mutant(%d) ? {other} : {match.group(0)})", other))
    return found


def statements(text: str) -> list[Site]:
    """Calls and assignments of one line each, left out."""
    found, start = [], 0
    for line in text.split("\n"):
        code = line.strip()
        if (CALL.match(line) or ASSIGNMENT.match(line)) and code.count("(") == code.count(")"):
            begin = start + len(line) - len(line.lstrip())
            found.append(Site(begin, start + len(line), "{ if (!hone_mutant(%d)) " + code + " }",
                              "left out"))
        start += len(line) + 1
    return found


def sites(text: str) -> list[Site]:
    """Returns all places of a file but those in comments."""
    found = conditions(text) + comparisons(text) + statements(text)
    return [site for site in found
            if "//" not in text[text.rfind("\n", 0, site.begin) + 1:site.begin]]


def mutated(text: str, chosen: dict[int, Site]) -> str:
    """Returns the file with the switches of `chosen`. Precondition: they do not overlap."""
    for number, site in sorted(chosen.items(), key=lambda one: -one[1].begin):
        text = text[:site.begin] + site.code.replace("%d", str(number)) + text[site.end:]
    return '#include "mutant_switch.hpp"\n' + text
