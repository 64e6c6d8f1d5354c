"""The general words by which claims say what they are about."""

# What a thing has one of and that has a measure: a claim gives its number.
_MEASURED = """
timeout lifetime limit quota threshold retention interval frequency period size capacity concurrency
budget port length width height delay window duration deadline delay ratio depth cap maximum minimum
"""
# What a thing has one of and that has a name.
_NAMED = """
database queue broker cache owner maintainer lead version region zone host hostname domain language
framework provider currency timezone locale encoding format license protocol algorithm registry
bucket topic channel editor shell platform runtime engine backend storage manager cto ceo branch
"""
MEASURED = frozenset(_MEASURED.split())
NAMED = frozenset(_NAMED.split())
_SAME_ATTRIBUTE = """
ttl:lifetime lifespan:lifetime expiry:lifetime expiration:lifetime cap:limit maximum:limit
max:limit vendor:provider supplier:provider maintainer:owner ownership:owner db:database
datastore:database licence:license limits:limit timeouts:timeout time-out:timeout
databases:database owners:owner regions:region
"""
SAME_ATTRIBUTE = dict(pair.split(":") for pair in _SAME_ATTRIBUTE.split())

# What one tool does for everybody: a second one for it contradicts the first.
_PURPOSES = """
mail email e-mail emails mails newsletters:newsletter newsletter:newsletter sms:sms texts:sms
payments:payment payment:payment charges:payment caching:cache cache:cache queueing:queue
queue:queue messaging:queue search:search hosting:hosting ci:ci authentication:auth login:auth
logins:auth sso:auth storage:storage persistence:database sessions:session
issues:issue tickets:issue
"""
PURPOSES = {
    word: canonical or "mail"
    for word, _, canonical in (entry.partition(":") for entry in _PURPOSES.split())
}

_DOING_WORDS = """
sending delivering handling processing taking accepting collecting running managing all outgoing
only everything
"""
DOING = frozenset(_DOING_WORDS.split())  # narrows no purpose: "for sending mail"

# Endings by which the name of a product says what it is.
KINDS_OF_NAMES = (("sql", "database"), ("db", "database"), ("mq", "queue"))

# Nouns that stand for nothing beside a name: "the orders service", "API requests".
_GENERIC_WORDS = """
service services microservice component requests request calls call team system value
"""
GENERIC = frozenset(_GENERIC_WORDS.split())
# What stands beside the name of what is used, and means no part of it: "the old Resend account".
_CARRIERS_WORDS = """
old legacy previous former current existing setup set-up account accounts installation instance
instances integration server servers cluster clusters stack deployment deployments version platform
"""
CARRIERS = GENERIC | frozenset(_CARRIERS_WORDS.split())
# Adverbs and modal verbs that change nothing of what holds.
_DROPPED_WORDS = """
now currently already really just simply also still actually today presently always definitely
certainly please must been officially indeed clearly btw fyi imo
"""
DROPPED = frozenset(_DROPPED_WORDS.split())
_PREPOSITIONS_WORDS = """
of for in on at with during under from to by within as via through using between across inside
over when if unless except while until behind only against without than outside like
"""
PREPOSITIONS = frozenset(_PREPOSITIONS_WORDS.split())
PART_OF = frozenset(("of", "for", "between"))  # what they hold belongs to the subject
_WE_WORDS = """
we our us i my the team this that project
"""
WE = frozenset(_WE_WORDS.split())
_UNCLEAR_WORDS = """
it they he she this that these those there which who what
"""
UNCLEAR = frozenset(_UNCLEAR_WORDS.split())
