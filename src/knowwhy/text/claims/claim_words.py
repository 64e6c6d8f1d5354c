"""The general words of claims: those that say nothing alone, that deny, and that mean the same."""

_LIGHT = """
a an the this that these those its it their his her our my your we i they he she you us me there
here is are was were be been being am do does did done has have had having will would shall
of to in on at for from by with as into onto via and or but so then than per about around roughly
through over within during until up out off between among across
also just really very actually currently presently now today already simply still please always
indeed certainly definitely clearly obviously really quite rather please note remember fyi
own both so-called which who whom whose what
"""
LIGHT = frozenset(_LIGHT.split())  # never told apart; the prepositions still hold the order

_MAY_BE_ADDED = """
use set happen take exist service system application tool team project instance value main time
database every all each general new data run make get main primary store product
"""
ADDABLE = frozenset(_MAY_BE_ADDED.split())  # stems that add nothing where the rest agrees

DENIALS = frozenset(
    ("not", "never", "no", "none", "neither", "nor", "cannot", "without", "nobody", "nothing")
)

# Of each pair the second denies the first: a claim with the one contradicts that with the other.
_OPPOSITES = """
enable disable; enabled disabled; on off; require optional; required optional; mandatory optional;
require voluntary; allow forbid; allowed forbidden; allow prohibit; allow ban; allow disallow;
allow block; permit deny; before after; more less; more fewer; above below; over under;
public private; synchronous asynchronous; sync async; automatic manual; automatically manually;
true false; supported unsupported; valid invalid; open closed; encrypted unencrypted;
signed unsigned; safe unsafe; stable unstable; possible impossible; stateful stateless;
accept refuse; accept reject; include exclude; use avoid; start stop; internal external
"""
OPPOSITES = {pair.split()[1]: pair.split()[0] for pair in _OPPOSITES.split(";")}

# Words that may stand for each other; the first of each row stands for all.
_SYNONYMS = """
keep retain preserve; delete remove erase purge; begin commence; end finish terminate; big large;
small little; mail email e-mail emails e-mails mails; deploy release rollout; create build;
allow permit; require need mandatory; forbid prohibit ban; choose pick select;
change modify alter; use utilise utilize employ; call invoke; prefer favour favor; limit cap;
may can; database db datastore; repository repo; configuration config;
production prod; environment env; application app; documentation docs doc; message msg;
development dev; maximum max; minimum min; must shall; run execute; show display; fast quick;
error failure; write save; bug defect; own maintain; developer engineer; directory folder;
provider vendor supplier; lifetime ttl lifespan expiry; parameter param; argument arg;
administrator admin; authentication authn; authorization authz; organisation organization org;
behaviour behavior; colour color; licence license; centre center; favourite favorite;
catalogue catalog; dialogue dialog; cancelled canceled; labelled labeled; programme program;
artefact artifact; grey gray
"""
SYNONYMS = {word: row.split()[0] for row in _SYNONYMS.split(";") for word in row.split()[1:]}
IRREGULAR = {
    "written": "write", "wrote": "write", "kept": "keep", "sent": "send", "ran": "run",
    "built": "build", "made": "make", "held": "hold", "chose": "choose", "chosen": "choose",
    "took": "take", "taken": "take", "gave": "give", "given": "give", "went": "go", "gone": "go",
    "found": "find", "stored": "store", "lost": "lose", "read": "read", "put": "put", "set": "set",
    "paid": "pay", "said": "say", "told": "tell", "left": "leave", "met": "meet", "sold": "sell",
    "bought": "buy", "began": "begin", "begun": "begin", "rewrote": "rewrite", "got": "get",
    "rewritten": "rewrite", "came": "come", "saw": "see", "seen": "see", "drove": "drive",
    "led": "lead",
}  # fmt: skip
