"""Whether a sentence says how a project, its code, its people or its systems are."""

from knowwhy.text.entities import entities
from knowwhy.text.patterns import regex
from knowwhy.text.speech.facts_preferences import is_request
from knowwhy.text.speech.facts_tools import states_tool
from knowwhy.text.speech.facts_verbs import VERBS

ENOUGH_AFTER_NO = 2  # points; a denial alone says that it matters
ENOUGH = 3  # points; chosen on the seen half of golden/turns.jsonl

_VERB = regex(rf"(?<![\w'-])(?:{VERBS})(?![\w'-])")
_CODE = regex(
    r"`[^`\n]{1,200}`|(?<![\w/])[\w.-]{1,60}/[\w./-]{1,120}|\b[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{1,40}\b"
    r"|\b[a-z]\w{0,40}_\w{1,40}\b|\b[a-z]{1,30}[A-Z]\w{0,40}\b|\b\w{1,60}\(\)|\.[a-z]{2,10}rc\b"
    r"|\b[\w-]{1,60}\.(?:py|ts|tsx|js|go|rs|rb|java|toml|ya?ml|json|sql|md|proto|ini|cfg|env|lock"
    r"|csv)\b"
    r"|\b[A-Z]{2,6}-\d{1,5}\b|#[a-z][\w-]{2,40}|\b[A-Z][a-z]\w{0,40}[.:]{1,2}[a-z_]\w{0,40}\b"
)
_NUMBER = regex(
    r"(?<![\w.])[€$£]?\d[\d.,:]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|dozen)\b"
)
_OURS_FIRST = regex(r"(?:for |in |on |at |all )?(?:we|our|ours|my team|all of our|most of our)\b")
_WE_DO = regex(
    r"\bwe (?:only |never |always |still |now |all )*(?:use|run(?! (?:in|with"
    r"|around|away|for)\b)|deploy|ship|log(?! (?:in|out)\b)|store|support|host"
    r"|handle"
    r"|target|version|tag|require|enforce|rely|no longer|don't|test|build|publish|bill|charge)\b"
)
_OURS = regex(r"\b(?:our|ours|we|us|this (?:repo|project|codebase|service|code))\b")
_YOURS = regex(
    r"\b(?:your|the|this) (?:repo|repository|codebase|project|code base|team|pipeline|schema"
    r"|config)\b"
)
_DEFINITE = regex(
    r"(?:the|every|each|all|both|no|none of the|any|only|there's an?|there is an?|there are"
    r"|there's no"
    r"|there is no|nobody|everybody|everyone|most)\s(?!thing\b|way\b|idea\b|one\b|people\b"
    r"|problem\b)"
)
_BARE = regex(rf"(?:[\w`./#@-]{{2,40}} ){{1,5}}?(?:{VERBS})\b")
_VAGUE = regex(
    r"(?:it|it's|its|that|that's|this|these|those|they|they're|he|she|he's|she's|here|something"
    r"|someone|somebody|people|one|some|such|there's no way|what|which|you|you're|your)\b"
)
_ME = regex(r"(?:i|i'm|i've|i'll|i'd|my|me|mine)\b")
_ABOUT_ME = regex(
    r"i(?:'m| am) (?:(?:on|in|with|at|part of|from|the|a|an|based|responsible|new|lead|\w+,)\b"
    r"|[a-z]+,)"
    r"|i (?:work|live|look after|own|maintain|lead|run|manage|joined|sit|take care of|report)\b"
    r"|my (?:team|time ?zone|name|role|manager|project|service|email|github|desk|stack|boss"
    r"|office)\b"
)
# Where somebody is or how they are at the moment: "I'm on the train", "I'm in a meeting until 3".
_ME_NOW = regex(
    r"i(?:'m| am) (?:(?:in|on|at) (?:an?|the|my|another) (?:[\w-]+ )?(?:meeting|call|train|tram|bus"
    r"|plane|phone|road|way|airport|station|car|taxi|doctor|dentist|interview|workshop|hurry|rush"
    r"|mood|break|move)\b|(?:at|in) (?:lunch|home|work|bed|transit|meetings)\b|an? (?:bit|little"
    r"|tad)\b|an? (?:idiot|fool|moron)\b|[^.;]{0,80}\b(?:until|till|from) (?:\d|noon|tonight|later"
    r"|then|lunch)\b)"
)
_PLACE = regex(
    r"\b(?:prod|production|environments?|replicas?|containers?|regions?|approvals?|refunds?"
    r"|staging|repo|cluster|database|db|tables?|columns?|endpoint|queues?|bucket"
    r"|tenant|deploys?|cron|jobs?|team|on-call|on call|pager|api|services?|gateway|workers?|pods?"
    r"|nodes?"
    r"|topic|partitions?|consumers?|producer|index|cache|migrations?|schema|retention|timeouts?"
    r"|limits?"
    r"|dashboards?|alerts?|pipeline|builds?|ci|release|branch|tests?|fixtures|firmware|scanners?"
    r"|clients?"
    r"|customers|merchants|depots?|incident|outage|latency|p99|p95|p50|instance|server|backend"
    r"|frontend|app|module|package|library|sdk|config|flag|secret|tokens?|session|cookie|(?:api"
    r"|signing|primary|foreign|idempotency|ssh) keys?|certificate"
    r"|invoices?|orders|billing|pricing|prices|budget|sprint|meetings?|demo|contract|backups?"
    r"|snapshots?"
    r"|changelog|docs page|importer|exporter|scheduler|monolith|handler|edge|stack|store|users?|log"
    r"|auth|firewall|vpn|domain|dns|webhook|webhooks|events?|messages?|rotation|freeze|partner"
    r"|vendor)\b"
)
_PASSING = regex(
    r"\b(?:today|tomorrow|yesterday|tonight|this (?:morning|afternoon|evening|time|week)"
    r"|last night|just now"
    r"|right now|at the moment|again|in a minute|later|soon|passes? now|pass now|works? now|pushed"
    r"|lunch|brb|let's see|running now|is red|(?:is|are) green|on my (?:machine|laptop)|locally"
    r"|for today"
    r"|typo|line \d+|fails with|waiting for|(?:is|are) (?:wrong|down|broken|missing|failing|red|up"
    r"|behind)"
    r"|(?:an?|the) (?:meeting|call) (?:at|about|with)|about it)\b"
)
_FEELING = regex(
    r"\b(?:wild|crazy|weird|odd|funny|nice|great|awesome|cool|annoying|terrible|awful|horrible|love"
    r"|irony|haha|lol|boring|beautiful|cute|sad|sadly|painful|sucks|magic|insane|ridiculous"
    r"|good question"
    r"|makes sense|no worries|looks good|feels?)\b"
)
_GENERAL = regex(
    r"^in (?:python|java|go|rust|javascript|typescript|sql)\b|\b(?:by default|generally|usually"
    r"|typically|in general|normally|commonly|best practice"
    r"|common (?:approach|pattern|practice)|many teams|most teams|good idea|often|recommended"
    r"|you can|you could|you may|you might|you should|you'd|you will"
    r"|you'll|consider|should consider|for example|a common)\b"
)
_ADVICE = regex(
    r"\b(?:should|could|would|recommend|suggest|let me know|i can|i could|happy to|want me|if you"
    r"|you can"
    r"|you need|make sure|might|shall i|feel free|please|consider|i'd|i'll|i will|need to"
    r"|has to be done)\b"
)
_PLAIN = regex(
    r"[a-z' -]+ (?:is|are|was|were) (?:\w+ly |so |very |too |quite |really )?[a-z-]+[.!]?"
)
_INVERTED = regex(r"(?:a|an) [\w-]+(?: [\w-]+)? (?:is|are)\b")
# What happens while people work, not how things are.
_REPORT = regex(
    r"(?:the|this|that|your|my) (?:\w+ )?(?:error|bug|issue|problem|exception|change|fix|diff"
    r"|patch|output"
    r"|result|pr|pull request|commit|message|failure|traceback|stack trace) |(?:this"
    r"|that) (?:means|is why)"
    r"|here(?:'s| is| are)\b|line \d"
)
_EDITED = regex(r"\bnow\b|\b(?:lets|allows) you\b|\bunless you\b|\bnever being\b")
_EVERY = regex(
    r"(?:all|every|each|no) [\w -]{2,40}? (?:is|are|must|has|have|goes|go|uses?|gets?|lives?"
    r"|returns?"
    r"|needs?|runs?)\b"
)
_IDENTIFIER = regex(
    r"(?<![\w/])[\w.-]{1,60}/[\w./-]{1,120}|\b[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{1,40}\b|\b\w{1,60}\(\)"
    r"|\b[a-z]\w{0,40}_\w{1,40}\b|\b[A-Z]{2,6}-\d{1,5}\b|`[^`\n]{1,200}`.{1,200}`[^`\n]{1,200}`"
    r"|\b[\w-]{1,60}\.(?:py|tsx?|js|go|rs|rb|java|toml|ya?ml|json|sql|md|proto|ini|cfg|env|lock"
    r"|csv)\b"
)


def states_fact(core: str, low: str) -> bool:
    """Tells whether a person's sentence says something lasting of their own project."""
    if _ME.match(low):
        is_lasting = not (_PASSING.search(low) or _ME_NOW.match(low))
        return is_lasting and _ABOUT_ME.match(low) is not None
    if states_tool(core) and not (_PASSING.search(low) or _FEELING.search(low)):
        return True
    if not _VERB.search(_CODE.sub(" ", low)):
        return False
    return _points(core, low) >= ENOUGH


def denies_with(core: str) -> bool:
    """Tells whether what follows a denial says how things are instead."""
    low = " ".join(core.lower().split())
    if _ME.match(low) or is_request(low) or not _VERB.search(_CODE.sub(" ", low)):
        return False
    return _points(core, low) >= ENOUGH_AFTER_NO


def states_code(core: str, low: str) -> bool:
    """Tells whether an assistant's sentence says how the code or project at hand is."""
    if _ME.match(low) or _ADVICE.search(low) or _GENERAL.search(low) or _INVERTED.match(low):
        return False
    if not _VERB.search(low) or _REPORT.match(low) or _EDITED.search(low):
        return False
    named = _IDENTIFIER.search(core) or _YOURS.search(low)
    return named is not None or (_DEFINITE.match(low) is not None and "`" in core)


def _points(core: str, low: str) -> int:
    """Weighs what speaks for a lasting fact against what speaks for a passing remark."""
    numbers = len(_NUMBER.findall(_CODE.sub(" ", core)))
    anchors = 2 * min(2, len(_CODE.findall(core))) + min(2, numbers)
    anchors += min(2, len(set(_PLACE.findall(low)))) + bool(_WE_DO.search(low))
    anchors += bool(_EVERY.match(low)) + (not anchors and _names_product(core))
    if not anchors:
        return 0  # nothing in it that a project has
    points = anchors + _subject_points(low) + bool(_VERB.search(low)) + bool(_OURS.search(low))
    points -= 2 * (bool(_PLAIN.fullmatch(low)) and anchors < 3)
    points -= 3 * bool(_REPORT.match(low)) + 2 * bool(_PASSING.search(low))
    points -= 2 * bool(_FEELING.search(low))
    points -= 3 * bool(_GENERAL.search(low)) + 3 * _is_of_the_world(core, low)
    return points


def _subject_points(low: str) -> int:
    if _OURS_FIRST.match(low):
        return 2
    if _VAGUE.match(low):
        return -2
    if _DEFINITE.match(low) or low.startswith(("`", "in this ", "in our ")):
        return 1
    return int(_BARE.match(low) is not None)


def _is_of_the_world(core: str, low: str) -> bool:
    """Tells whether a sentence is about a product that everybody has, not about one's own use."""
    if _OURS.search(low) or _CODE.search(core) or _PLACE.search(low.partition(" ")[2]) is not None:
        return False
    return _names_product(" ".join(core.split()[:2]))


def _names_product(text: str) -> bool:
    return any(found.type in ("dependency", "framework") for found in entities(text))
