"""Whether a sentence states how somebody likes things to be done."""

from knowwhy.text.patterns import regex
from knowwhy.text.speech.facts_verbs import VERBS

_I = r"(?:i|we)"
_LIKING = regex(
    rf"(?<!that )\b{_I}(?:'d| would)? (?:really |much |strongly |also |usually |generally "
    rf"|actually )*"
    r"(?:prefer|favou?r|hate|love|dislike|despise|loathe|can't stand|cannot stand|insist|rather"
    r"|avoid|like(?! to (?:see|know|have|get|ask|understand|think)\b))\b"
    r"|\bi'd (?:much |always )?(?:rather|prefer)\b|\bi would (?:much )?rather\b"
    r"|\b(?:my|our) (?:strong |personal |general |own |house )?(?:preference|preferred [\w ]{2,20}"
    r"|favou?rite [\w ]{2,20}|style|convention|rule|policy|habit)(?: here)? (?:is|are|would|has)\b"
    r"|\bi(?: always| never| usually| mostly| typically| generally| normally| only| exclusively"
    r"| tend to| try to| mainly)+ (?!thought|saw|heard|had|got|said|knew|looked|found|changed"
    r"|did\b)\w+"
    r"|\bwe (?:tend to|prefer to|try to|like our|like to|don't like|avoid)\b"
    r"|\bi(?:'m| am) (?:used to|allergic to|a fan of|not a fan of|picky about|a big fan of)\b"
    r"|\bi don't (?:like|want any|want you|want to see|do|use|care (?:for|about))\b"
    r"|\bi (?:only )?care (?:only )?about\b|\bi find .{3,80} (?:easier|better|harder|clearer|nicer"
    r"|worse)\b"
    r"|\b(?:works?|work) (?:best|better) for me\b|\bdon't work for me\b|\bfor my taste\b"
    r"|\breads? (?:much )?(?:better|easier|nicer)\b|\bi(?:'m| am) colou?r-?blind\b"
    r"|\bmy (?:editor|shell|ide|keyboard|terminal|setup|workflow|os|machine) is\b"
    r"|\bi (?:use|run|write|work in|do) (?:everything|all|everywhere|nothing but)\b"
    r"|\bi(?: want| need|'d like) (?:everything|always|all|every|each|any|no more|only|to be asked"
    r"|you to (?:always|never|ask|only)|you to .{3,60} (?:never|always|every)"
    r"|(?:\w+ ){0,2}(?:sentences"
    r"|lines|words), no more)\b|\bi want (?:\w+ ){1,2}(?:sentences\b|(?:in|with|without|as) )"
    r"|\byou (?:keep|always) \w+ing\b|\b(?:drives?|drive) me (?:mad|crazy|nuts)\b"
    r"|\b(?:always|never) .{2,60}, (?:please|pls)\b|\bkeep it that way\b"
    r"|\bfor me (?:in|with|without)\b|\bwhatever you do\b|\bthat's (?:my|our) (?:rule|policy"
    r"|convention|preference)\b"
    r"|\bgive me .{3,60} any day\b|\bif it's up to me\b"
)
_MOMENT = regex(
    r"\b(?:i|we) (?:like|love|prefer) (?:it|that|this|the idea|your|these|those|how)\b"
    r"|\bi(?:'d| would) (?:like|love) (?:to|you to|a|an|the)\b(?!.*\b(?:always|never|every)\b)"
    r"|\b(?:these days|yesterday|today|this time|last night|right now)\b|\bbut the keybindings\b"
    r"|\bi always (?:forget|thought|get|wonder)\b|\bi hate (?:it|this|that|mondays|when)\b"
)
_DONT = regex(
    r"(?:please |pls |also )?(?:don't|do not|dont|stop|never|no more|avoid|quit|refrain from)"
    r" (?:ever )?(?!worry|know|get|understand|see|think|remember|mind|forget|panic|have|need|want"
    r"|really"
    r"|matter|believe|care|like|work|it\b|that\b|there\b|yet\b|now\b|here\b|push|be|ever quit"
    r"|give up|run it|do that|do it"
    r"|touch (?:that|this|it)|merge)\w+"
)
_ALWAYS = regex(
    r"(?:please |pls |and |so )?(?:always|never) (?!mind|again|ever|seen|saw|heard|been|had|done"
    r"|got|knew|here|there|nice|good|a |the |so |give up|quit|be afraid|stop )\w+"
)
_DO = (
    r"(?:use|keep|write|prefer|put|add|make|name|sort|format|answer|reply|explain|show|compare|run"
    r"|ask|include|leave|skip|squash|rebase|commit|test|log|document|return|give|call|stick to|set"
    r"|mention|cite|tag|link|split|limit|review|send|tell|follow|ignore|omit|drop|type|wrap|indent)"
)
_DO_ALWAYS = regex(
    rf"(?:please |pls |just |only )?{_DO} .{{0,160}}\b(?:always|never|every|everywhere|any|anywhere"
    r"|each time|all (?:my|our|the|new|your)|whenever|from now on|in (?:the )?future|going forward"
    r"|next time|by default|at all times|no exceptions|in general|per default|for me"
    r"|when(?:ever)? (?:i|we|you)\b.{3,})\b"
)
_KEEP = regex(
    r"(?:please |pls )?(?:keep|leave|skip|use) (?:out )?(?:the |all |our |your )?(?!the\b|this\b"
    r"|that\b|it\b"
    r"|them\b|going\b|me\b|in mind\b|an?\b|an eye\b)[\w`'-]+(?: [\w'-]+)? "
    r"?(?:under|below|small|short|out|to|separate|simple|instead|over|rather|nits|within|minimal"
    r"|tidy)"
    r"\b|(?:please |pls )?(?:skip|leave out|use|omit) (?:the )?(?:\w+ )?(?:nits|tabs|spaces|emojis?"
    r"|comments|metric units|semicolons)$|.*\bleave them out\b"
)
_FOR_THE_FUTURE = regex(
    rf"(?:from now on|going forward|in (?:the )?future|next time|for (?:commit messages|commits"
    rf"|prs?"
    r"|pull requests|reviews?|branches|tests?|answers?|charts?|naming|docs|all)\b[^:,]{0,40})[:,]? "
    rf"(?:please |always |never |no |don't |imperative|short|{_DO}\b)"
)
_PLEASE = regex(
    r"(?:can|could) (?:we|you) (?:please |pls )?(?:stop|always|never|avoid|not|from now on)\b"
    r"|\w+ (?:on|before|after|for|in|with|without) [\w ]{2,40},? please\b"
    r"|no [\w -]{3,40},? (?:(?:please|pls)$|(?:and )?no )"
    r"|(?:when|whenever|if|before|after) .{3,120}[,:] (?:please )?(?:always|never|don't|do not"
    r"|no) \w"
    r"|.*\bso use \w+.* (?:any|every|all)\b|.*\bso (?:please )?(?:keep|use|avoid|don't"
    r"|no) .*\bfor me\b"
    r"|when i(?:'m| am| ask| say| write)\b.{2,80}\b(?:i (?:only |just )?(?:want|care|mean|need"
    r"|expect)"
    r"|give me|keep it|answer|be brief|use)\b"
)
_COMMON = regex(
    r"(?:all |our )?(?:\w+ )?(?:code|names|variables|commits|branches|tests|migrations|tables) "
    r"(?:is|are) (?:\w+ )?(?:snake_case|camelcase|kebab-case|pascalcase|lowercase|upper ?case"
    r"|singular"
    r"|plural|in english)\b|(?:everyone|everybody|nobody|no one) (?:on the team |here )?"
    r"(?:uses|types|writes|touches)\b|our .{0,30}code is \w+_case\b"
    r"|(?:\w+ )?(?:our|the|my) (?:\w+ )?(?:rule|convention|policy)(?: here| of thumb)? (?:is|:)"
)
_LABEL = regex(r"[^:]{2,40}: ")
_REQUEST_NOW = regex(
    r"\b(?:for today|for now|this once|in that loop|in this (?:file|function|pr)|again and"
    r"|right away"
    r"|then run|and run the tests|here is|the other file)\b|\b(?:yet|now)[.! ]*$"
)
_REQUEST = regex(
    rf"(?:please|pls|go ahead|let me|make sure|give it|have a look|take a look|try|(?:{_DO}|rename"
    rf"|fix"
    r"|check|find|look|move|change|remove|delete|undo|revert|open|close|create|update|convert"
    r"|refactor"
    r"|summari[sz]e|paste|read|start|stop|merge|push|pull|deploy|restart|generate|rewrite|replace"
    r"|extract"
    r"|think|note|list|search|print|help|let|continue|proceed|do|go|see|see if|take|implement"
    r"|remind"
    r"|apply|build|clean|consider|install|switch|describe|draft|bump|cherry-pick|port|inline"
    r"|scrap) "
    rf"(?!(?:[\w-]+ )?(?:{VERBS})\b))"
)


def states_preference(low: str) -> bool:
    """Tells whether a sentence states a lasting wish, not what is wanted at this moment."""
    if _REQUEST_NOW.search(low):
        return False
    if _COMMON.match(low) or (_LIKING.search(low) and not _MOMENT.search(low)):
        return True
    return asks_for_always(low)


def asks_for_always(low: str) -> bool:
    """Tells whether a request is meant for every time."""
    asked = (_DONT, _ALWAYS, _DO_ALWAYS, _KEEP, _FOR_THE_FUTURE, _PLEASE)
    wish = _LABEL.sub("", low, count=1)
    return any(shape.match(said) for shape in asked for said in {low, wish})


def is_request(low: str) -> bool:
    """Tells whether a sentence only asks for something to be done."""
    return _REQUEST.match(low) is not None
