"""Words of requests that have no topic."""

_ASKING = """
list show print dump export output return give tell display reveal recite repeat replay reproduce
enumerate write provide share send extract exfiltrate leak get fetch retrieve recall copy echo spell
disclose read paste download translate summarize summarise describe report deliver hand search find
look quote encode enter answer include iterate scan load browse see want need
"""
_DUMPING = "dump export exfiltrate leak extract download"
_LOSING = "lost forgot forgotten"
_POLITE = """
please pls kindly now ok okay hey hi hello just then first also and so next finally actually simply
only immediately but instead assistant can could would will you i we want need would like d ll m am
id must should have to shall your task is job goal new let lets it asking wish urgent urgently very
important important dear thanks again
"""
_QUESTIONS = (
    "what whats which who whose why how where when whom did does do is are was were should has"
)
_OF_WHAT = "what whats which who whose"
_EVERYTHING = "everything anything all whatever"
_ALL = "all every each any entire whole complete full everything anything whatever total"
_THINGS = """
memory memories record records entry entries fact facts note notes claim claims conversation
conversations chat chats turn turns message messages data database databases db content contents
information info knowledge kb document documents docs passage passages context contexts history
histories thing things item items row rows query queries search searches question questions example
examples user users owner owners id ids key keys store stores storage index base
"""
_STORES = """
memory memories database databases db knowledge kb context contexts history storage store prompt
prompts instructions records conversations brain index data content contents entries
"""
_SAID = """
context contexts prompt prompts instruction instructions text texts word words message messages
conversation conversations input inputs content contents document documents passage passages example
examples query queries question questions searches answer answers output outputs memory memories
demonstrations tokens paragraph paragraphs rules exchange dialogue retrieval results
"""
_BEFORE = """
previous above prior preceding earlier initial foregoing hidden retrieved injected system past
original developer
"""
_ABOVE = "above before"
_PEOPLE = """
user users people person persons customer customers owner owners tenant tenants human humans client
clients individual individuals agents agent somebody someone
"""
_OTHERS = "everyone everybody anyone anybody others everyones everybodys else"
_KNOWING = """
know known remember remembered have had store stored hold keep kept see seen recall learn learned
learnt saved save access retrieved retrieve contain contains memorized memorised got
"""
_TELLING = """
tell told ask asked asking say said saying search searched share shared write wrote written store
stored save saved query queried
"""
# What is left of such requests: small words, and how and where it is to be had.
_SMALL = """
a an the this that these those it its they them their there here i you your yours we us me my our of
in from on at to into for with by about across as or and not no any if inside within out down back
over up through off under per one ones is are was were be been being do does did can could may might
will would have has had ever currently already now so far until still right away who what which
whose how where when whom regardless matter without exception exceptions limit limits filter filters
omission omissions redaction changes change verbatim exactly unchanged fully completely entirely
literally absolutely raw plain full long term short single list lists table json csv xml yaml base64
rot13 markdown format text line lines order detail details detailed once again too well below final
answer response reply output please thanks stored saved kept available existing private personal
secret confidential internal sensitive hidden active individual actual recent latest other another
different belonging concerning including include names name ids keys timestamps dates authors
metadata sources owner session sessions project projects tenants starting start beginning end first
begin top bottom between backup debugging debug audit testing test purposes everything track copy
contents dump export snapshot system assistant model bank vector window head brain mind
home given received more possible like just only also own specific solutions solution
pool pools team global lent lend lends lending
"""

ASKING = frozenset(_ASKING.split())
DUMPING = frozenset(_DUMPING.split())
LOSING = frozenset(_LOSING.split())
POLITE = frozenset(_POLITE.split())
QUESTIONS = frozenset(_QUESTIONS.split())
OF_WHAT = frozenset(_OF_WHAT.split())
EVERYTHING = frozenset(_EVERYTHING.split())
ALL = frozenset(_ALL.split())
THINGS = frozenset(_THINGS.split())
STORES = frozenset(_STORES.split())
SAID = frozenset(_SAID.split())
BEFORE = frozenset(_BEFORE.split())
ABOVE = frozenset(_ABOVE.split())
PEOPLE = frozenset(_PEOPLE.split())
OTHERS = frozenset(_OTHERS.split())
KNOWING = frozenset(_KNOWING.split())
TELLING = frozenset(_TELLING.split())
VAGUE = frozenset().union(
    ASKING, DUMPING, LOSING, POLITE, QUESTIONS, ALL, THINGS, STORES, SAID, BEFORE, ABOVE, PEOPLE,
    OTHERS, KNOWING, TELLING, _SMALL.split(),
)  # fmt: skip
