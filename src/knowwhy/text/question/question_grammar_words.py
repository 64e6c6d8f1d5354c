"""The small words of questions: kinds, statuses, orders, and what holds a sentence together."""

_ANY = """
record document doc decision proposal standard text page entry item thing one enhancement
improvement specification spec note write-up article memo plan change feature source request
everything anything something
"""
_CODE = "module file package class script component library crate header submodule subpackage"
DECISIONS = ("adr", "decision", "decision-record", "decision record")
_SYSTEMS = ("service", "system", "app", "application")
_INCIDENTS = ("incident", "postmortem", "post-mortem", "inc")
# Nouns for what is asked for, with the kinds that each stands for: none for any record.
KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_ANY.split(), *_CODE.split()), ()),
    **dict.fromkeys(_SYSTEMS, ("service",)),
    **dict.fromkeys(("incident", "outage", "postmortem", "post-mortem"), _INCIDENTS),
    "decision": DECISIONS,
    "meeting": ("meeting",),
}
# Those of them that are no part of a program: what is written and may be numbered.
RECORD_NOUNS = frozenset(KINDS).difference(_CODE.split(), _SYSTEMS)
_ALWAYS_ANY = "record document doc text page entry item thing one file module source"
ANYTHING = frozenset(_ALWAYS_ANY.split())  # though a kind of record may have the same name
_PERSONS = """
person people engineer developer team someone anyone somebody anybody everyone everybody individual
group squad sig colleague contributor man woman member
"""
PERSONS = frozenset(_PERSONS.split())
TEAMS = frozenset(("team", "group", "squad", "sig", "guild"))
_STATUSES = """
accepted active approved closed completed declined deferred deprecated draft drafted final
implementable implemented living mitigated obsolete ongoing open pending postponed proposed
provisional published rejected resolved retired stable stagnant superseded withdrawn replaced
obsoleted
abandoned cancelled canceled
"""
STATUSES = frozenset(_STATUSES.split())
ORDERS = {
    **dict.fromkeys(("first", "earliest", "oldest", "original"), "first"),
    **dict.fromkeys(("last", "latest", "newest", "recent"), "last"),
}
OTHERS = frozenset(("other", "others", "another", "else", "further", "additional", "remaining"))
_DETERMINERS = (
    "the a an any all some every each its their his her our my these those this that both"
)
DETERMINERS = frozenset(_DETERMINERS.split())
_QUALIFIERS = "earlier later newer older previous prior subsequent same most own only very"
QUALIFIERS = frozenset(_QUALIFIERS.split())
BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
DO = frozenset(("do", "does", "did"))
HAVE = frozenset(("have", "has", "had"))
_MODALS = "will would can could may might should shall must"
MODALS = frozenset(_MODALS.split())
AUXILIARIES = BE | DO | HAVE | MODALS
_STATING = """
list lists listed name names named declare declares declared give gives gave state states stated
record records mark marks count counts show shows showed credit credits credited
"""
HAVE_AS = HAVE | frozenset(_STATING.split())
RELATIVE = frozenset(("that", "which", "who", "whom"))
_PRONOUNS = "it this that them they these those he she"
PRONOUNS = frozenset(_PRONOUNS.split())
BY = frozenset(("by", "in", "with", "through", "from"))
OF = frozenset(("of", "for", "to", "in", "on", "at", "with", "behind"))
ASKING = frozenset(("which", "what", "who", "whom"))
_TELLING = """
list show find name give get display tell enumerate me us return fetch identify look up trace see
"""
TELLING = frozenset(_TELLING.split())
_NEGATIVE = "not never no without nor neither cannot n't none nothing"
NEGATIVE = frozenset(_NEGATIVE.split())
_READING = "read use follow consult apply adopt implement see look be"
READING = frozenset(_READING.split())
_CHANGES = """
change changes changed break breaks broken fail fails failed removed remove modified modify edited
edit touched renamed rename moved move down deleted delete dropped drop refactored refactor altered
alter updated deprecated retired rewritten rewrite
"""
CHANGES = frozenset(_CHANGES.split())
_CHANGING = """
changing removing modifying dropping retiring deprecating deleting renaming replacing updating
"""
CHANGING = frozenset(_CHANGING.split())
# One state under several names; a question may use another one than the record.
SAME_STATUS = ("superseded", "replaced", "obsolete", "obsoleted")
_SHAKES = """
affected impacted broken break breaks change hit feel suffer suffers retest retested retesting
rebuild rebuilt recompiled updating
"""
SHAKES = frozenset(_SHAKES.split())
EVENTS = frozenset(("happened", "occurred", "took", "place", "began", "started", "arose"))
SMALL_WORDS = (
    ASKING | AUXILIARIES | DETERMINERS | PRONOUNS | OTHERS | BY | OF | NEGATIVE | TELLING
    | {"why", "how", "when", "where", "and", "or"}
)  # fmt: skip
