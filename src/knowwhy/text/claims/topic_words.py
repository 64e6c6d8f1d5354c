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
tracker
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
payments:payment payment:payment charges:payment caching:cache cache:cache
queueing:queue queue:queue messaging:queue search:search hosting:hosting ci:ci
authentication:auth login:auth logins:auth sso:auth storage:storage
persistence:database sessions:session issues:issue tickets:issue
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

# Products of which one does the whole of it: where it is another one, it is not this one.
_SOLE_PRODUCTS = """
ci: jenkins github_actions gitlab_ci circleci travis_ci buildkite teamcity drone woodpecker;
cloud: aws gcp azure digitalocean heroku hetzner ovh linode scaleway;
os: ubuntu debian alpine alpine_linux fedora centos rhel windows_server freebsd nixos rocky
almalinux;
page framework: react vue angular svelte solidjs ember;
language: python java golang rust kotlin scala swift ruby php typescript javascript elixir erlang
haskell clojure c++ c#
"""
SOLE_PRODUCTS = {
    name: kind.strip()
    for entry in _SOLE_PRODUCTS.split(";")
    for kind, _, names in [entry.partition(":")]
    for name in names.split()
}
# Names of branches that are words too: "the default branch is main", but not "is protected".
BRANCHES = frozenset(("main", "master", "trunk", "develop", "development", "dev", "mainline"))
_MEETINGS_WORDS = """
standup stand-up meeting retro retrospective sync planning demo call review weekly daily huddle
kickoff kick-off grooming refinement townhall
"""
MEETINGS = frozenset(_MEETINGS_WORDS.split())  # "starts at 10" is a time of day there
_MACHINES_WORDS = """
production prod staging server servers host hosts box boxes machine machines node nodes vm vms
container containers fleet cluster clusters laptops
"""
MACHINES = frozenset(_MACHINES_WORDS.split())  # run one system; a program may run on several
_SOLE_WORDS = """
database queue broker cache registry currency timezone lead owner cto ceo tracker
"""
SOLE = frozenset(_SOLE_WORDS.split())  # whoever says "our cache" has one
FIRST = frozenset(("main", "primary", "default", "only"))  # of what there may be several, the one
SOLE_PURPOSES = frozenset(("ci", "cloud", "search", "auth", "hosting"))
_PROGRAMS_WORDS = """
service app application library package program binary project codebase monolith daemon script
tool server worker backend microservice module cli
"""
PROGRAMS = frozenset(_PROGRAMS_WORDS.split())

# Products of which whoever uses one uses no other.
_ONLY_TOOLS = """
package manager: npm pnpm yarn; error tracker: sentry rollbar bugsnag airbrake honeybadger;
flags: launchdarkly unleash flagsmith configcat;
infrastructure: terraform opentofu pulumi cloudformation
"""
ONLY_TOOLS = {
    name: kind.strip()
    for entry in _ONLY_TOOLS.split(";")
    for kind, _, names in [entry.partition(":")]
    for name in names.split()
}
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
