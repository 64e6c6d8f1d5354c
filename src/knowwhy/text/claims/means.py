"""What something is done with: "we deploy with Jenkins", "Bento sends our mail"."""

from knowwhy.text.claims.nouns import value
from knowwhy.text.patterns import regex

_BY = r"(?:with|in|to|via|through|using|by)"
# Of others what stands behind "on" is what they are about.
_ON = r"(?:run|deploy|host|serve|build|rely|depend|live|publish|store)"
_NAME = r"(?P<v>[^ ]+(?: [^ ]+){0,2}?)"
_DONE = r"(?:[a-z]+ed|built|done|held|kept|made|put|run|sent|set|shown|written)"
_FORMS = tuple(
    regex(pattern)
    for pattern in (
        rf"we (?P<verb>[a-z]+)(?: .+?)? {_BY} {_NAME}",
        rf"we {_ON}(?: .+?)? on {_NAME}",
        rf".+? (?:is|are) {_DONE} (?:{_BY}|on) {_NAME}",
        rf".+? (?:go|goes|run|runs) (?:{_BY}|on) {_NAME}",
        r"(?P<v>[^ ]+(?: [^ ]+)?) [a-z]+s our .+",
    )
)
_WORDS = """
agree are avoid began believe broke brought built came can compare compete could did do drew export
fell find forbid found gave got grew had have held import integrate interview invest kept knew learn
left lost made may meet met might migrate move must negotiate never put ran said sat saw sent should
shut sold speak spent spoke stood stop switch talk teach told took train trust was went were will
work would wrote
"""
NO_PRACTICE = frozenset(_WORDS.split())  # past, possible, or said of somebody else's


def read_means(clause: str, named: frozenset[str]) -> str:
    """Gives the name of what a clause says something is done with now; else nothing."""
    for form in _FORMS:
        found = form.fullmatch(clause)
        if found is None:
            continue
        verb = found.groupdict().get("verb") or ""
        if verb.endswith("ed") or verb in NO_PRACTICE:
            return ""
        said = value(found["v"])
        if said is not None and any(word in named for word in found["v"].split()):
            return said.text
    return ""
