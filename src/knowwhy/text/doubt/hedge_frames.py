"""The phrases that doubt a whole claim, as patterns by how they are built."""

_IS = r"(?: is|'s| was| would be| seems| looks| remains| sounds)"
_QUITE = (
    r"(?:quite |very |entirely |perfectly |also |always |still |at least |more than |just |well "
    r"|certainly |even |equally |highly )?"
)
_CAN_BE = r"(?:possible|plausible|conceivable|thinkable|imaginable|a possibility)"
# After "it is possible" without "that": what is possible is an ability, no guess.
_ABLE = (
    r"(?:to|for|with|by|in|via|through|using|only|from|on|at|now|again|because|since|thanks"
    r"|without|when|if|as|and|but|or|too|today|already|anyway|even|whenever|once|per|under)"
)
_WHO = r"(?:i|we)"
_GUESSING = r"(?:guess|bet|speculate|wager|venture|hazard|surmise)"
_CANNOT = r"(?:can't|cannot|can not|couldn't|could not|can never|can hardly)"
_SPEAKER = (
    r"(?:(?:i|we|one|you|nobody|no one|but|and|yet|so)(?: still| also| really| just| simply"
    r"| honestly| yet)? |(?<!\w\s))"
)
_CERTAIN = r"(?:certain|sure|positive|confident)"
_SURELY = (
    r"(?:yet |entirely |completely |fully |absolutely |totally |quite |really |100\s?% |too |so )?"
)
_UNCHECKED = (
    r"(?:unverified|unconfirmed|unproven|unsubstantiated|uncorroborated|unvalidated|speculative"
    r"|not (?:yet )?(?:been )?(?:verified|confirmed|proven|substantiated|validated)"
    r"|yet to be (?:verified|confirmed|proven)|to be (?:verified|confirmed))"
)
_STILL = r"(?:still |as yet |so far |currently |completely |entirely |all )?"
_CAUSE = r"(?:root )?(?:cause|reason|explanation|culprit|source|origin|suspect|trigger)"
_CLAUSE = r"(?:that|it|it's|the|this|there|we|a|an|our|they|you|he|she|i|these|those|somebody)"
_HELD = (
    r"(?:widely |generally |commonly |strongly |currently |now |still |also |often |sometimes "
    r"|only |internally )?"
)
_GUESSED = (
    r"(?:suspected|presumed|rumou?red|speculated|conjectured|hypothesi[sz]ed|theori[sz]ed|surmised"
    r"|alleged|guessed|feared)"
)
_SAID = r"(?:believed|thought|assumed|said|reported|claimed|felt|understood|reckoned)"
_FEELING = r"(?:feeling|inkling|suspicion|impression|sense|notion|intuition|premonition)"
_GUESS = (
    r"(?:hypothesis|theory|guess|guesswork|speculation|conjecture|supposition|suspicion|hunch"
    r"|premonition|intuition|rumou?r)"
)
_SO_FAR = r"(?: so far| for now| at the moment| right now| at present| here| as of now)?"
_PROOF = r"(?:hard |real |firm |solid |direct |actual |any )?(?:proof|evidence)"
_OF_IT = r"(?= (?:yet|so far|as yet|either|(?:for|of) (?:it|this|that))\b|\s{0,3}[,;:.)!—–]|$)"
# Who is spoken of, and auxiliaries behind them, written out or contracted: "we've", "one would".
_ANYONE = r"(?:i|we|one|you|he|she|they|people|anyone|anybody|everyone|everybody|somebody|someone)"
_WOULD = r"(?: would|'d)"
_BEEN = r"(?: am| are| is| was| were|'m|'re|(?: have| has| had|'ve|'s|'d) been)"
_NOT_WILLING = (
    r"(?:(?:would|will|do|did|shall|should|could|can)(?:n't| not| never| hardly)"
    r"|won't|can't|cannot)"
)
_EXCLUDE = (
    r"(?:rule (?:\w+ ){0,6}?out|(?:exclude|discount|dismiss) (?:that|the (?:possibility|idea))"
    r"|put it past|bet against|swear (?:to|that)|vouch for)"
)
_FIND_OUT = (
    r"(?:tell|see|say|judge|gather|know|find|check|verify|recall|remember|determine|establish|infer"
    r"|discern|ascertain|reconstruct|understand|piece together"
    r"|(?:make|figure|work|find)(?: it| this)? out)"
)
_TO_ME = (  # how far somebody knows it
    rf"(?: (?:can|could) (?:ever |now |still |best )?{_FIND_OUT}| hear| heard| gather| gathered"
    r"| remember| recall| understand| understood|(?: have|'ve)(?: ever)? (?:seen|heard|read)"
    rf"|{_BEEN} (?:told|informed|aware|able to {_FIND_OUT}))"
)
_COUNTED = r"(?:an?|the) (?:\w+ )?(?:times?|second|third|line|page|day|moment|way|bit|row)\b"
_UNDER_100 = r"(?<![\d.,])\d{1,2}\s?(?:%|percent|per cent)"


def _first(*phrases: str) -> str:
    """Gives what is doubt only where a text or a sentence begins."""
    return rf"(?<![^\n.!?]\s)(?<![^\s])(?:{'|'.join(phrases)})"


# Each makes a claim a speculation.
GUESSES = (
    _first(
        # what the claim calls itself: "Hypothesis: …", "an unconfirmed report says"
        rf"(?:(?:as|my|our|just|pure|mere|wild|working|current|only|an?|one|the) ){{0,3}}{_GUESS}"
        rf"{_SO_FAR}(?=\s{{0,3}}:)",
        r"(?:an? |my |our )?(?:untested|wild|crazy|random) (?:idea|thought|claim)(?=\s{0,3}[:,])",
        r"(?:an |some )?(?:unconfirmed|unverified) (?:report|rumou?r|claim|news)s?"
        r"(?=\s{0,3}:| (?:says?|that|has it|have it|of)\b)",
        # a premise that nobody holds to be so: "let's say", "what if"
        r"(?:(?:so|but|and|well|ok|okay|now),? )?(?:(?:let's|let us)(?: just| now)?"
        r" (?:say|suppose|pretend|imagine)|suppose|supposing|imagine|what if)"
        rf"(?=, | (?:for|{_CLAUSE}|my|some)\b)",
        r"(?:(?:a hundred|ten|\d{1,4})[- ]to[- ]one|dollars to do(?:ugh)?nuts)"
        rf"(?=,| {_CLAUSE}\b)",
    ),
    # what may be so: "it is quite possible that", "a plausible cause is"
    rf"(?:it|that|this){_IS} {_QUITE}{_CAN_BE}(?= [a-z])(?! {_ABLE}\b)",
    r"(?<!not\s)(?<!n't\s)(?<!es\sit\s)(?<!ke\sit\s)(?<!de\sit\s)(?<!ng\sit\s)"
    r"(?:possible|plausible|conceivable|thinkable|imaginable) that(?! (?:is|are|was|were)\b)",
    r"(?:not|isn't|wasn't) (?:at all |entirely |completely )?(?:impossible|inconceivable"
    r"|unthinkable|implausible|out of the question)(?! (?:to|for)\b)",
    rf"(?:possible|plausible|conceivable|probable|potential|suspected|presumed)"
    rf" {_CAUSE}(?= (?:is|was|being|could|would)\b|:)",
    r"could it (?:also |well |just )?be(?= (?:that|the|it|a|an|our|this|something)\b)",
    r"(?:beyond|within|in) the (?:realms?|bounds|range) of (?:possibility|probability"
    r"|the possible)",
    r"there (?:is|'s|was|exists|remains) (?:a|some|every|the|always a)"
    r" (?:\w+ )?(?:possibility|probability|likelihood)",
    r"there's (?:a|some|every) (?:\w+ )?(?:possibility|probability|likelihood)",
    r"(?:hypothetically|plausibly|imaginably|feasibly|putatively|perchance|mayhap)",
    r"(?:may-be|mebbe|mayb|mabye|probly|prolly|praps|p'raps)",
    r"could(?:'ve| of) (?:also |well |just |easily )*(?:been|come)"
    r"(?! (?:avoided|prevented|caught|worse)\b)",
    # a guess that is asked for: "if I had to guess"
    rf"if (?:{_WHO}|you|one|somebody) (?:had|have|were|was|must)(?: to| really to)? {_GUESSING}",
    rf"(?:if|were) {_WHO} (?:were )?(?:forced |pressed |asked )?to {_GUESSING}",
    rf"{_WHO}(?:'d| would)(?: have to| rather| still)? (?:venture|hazard|speculate|wager|surmise)",
    rf"{_WHO} (?:surmise|conjecture|hypothesi[sz]e|theori[sz]e)",
    r"(?:conjecture|guesswork|supposition|surmise)(?= (?:is|that|but|so|at|on|and)\b|[.,;:!)]|$)",
    r"(?:your|anyone's|anybody's|everyone's) guess",
    rf"(?:my|our|the|a) (?:best|working|current|leading|main|pet|first|only|favou?rite)"
    rf" {_GUESS}{_SO_FAR}(?= (?:is|was|remains|would be)\b|,)",
    rf"(?:just|only|merely|purely|pure|mere|at best|still) (?:an? |my |our )?(?:\w+ )?{_GUESS}"
    r"(?= (?:is|that|but|so far|for now|at this)\b|[.,:;!)]|$)",
    rf"(?:an?|this|that) (?:\w+ )?{_GUESS} of (?:mine|ours)",
    rf"call (?:it|this|that)(?: an?| my)? (?:gut )?(?:{_GUESS}|feeling)",
    r"(?:thinking (?:out loud|aloud)|spitballing|methinks|speculatively"
    r"|(?:shot|stab) in the dark|for the sake of argument)",
    rf"{_WHO} (?:can|could)(?: well| easily| just)? (?:imagine|picture)"
    rf"(?= (?:how|{_CLAUSE}|some)\b)",
    r"(?:if|were) (?:i|we) (?:was |were )?an? (?:betting|gambling)",
    # a suspect in place of a cause
    r"(?:prime|main|chief|top|likeliest|strongest|biggest|leading|first|best|number one|no\.? 1"
    r"|current) suspects?(?= (?:is|are|remains?|would be|here|for)\b|\s{0,3}[:,.])",
    r"suspects? (?:number|no\.?|#)\s?(?:one|1|two|2)",
    # odds: "chances are", "the odds are good that"
    rf"(?<!the\s)(?<!whose\s)(?<!our\s)(?:chances|odds) are(?:,| {_CLAUSE}\b"
    r"| (?:that|good|high|pretty|very|strong|decent)\b)",
    r"the (?:chances|odds|likelihood) (?:are|is) (?:\w+ )?(?:good|high|low|slim|strong|decent|fair"
    r"|even|better)(?: that)?",
    r"(?:my|our|the smart) money(?:'s| is| would be) on",
    r"(?:a|it's a|pretty much a) (?:toss-up|coin (?:toss|flip))",
    rf"{_UNDER_100}\)? (?:sure|certain|confident|convinced|positive)",
    rf"{_UNDER_100} (?:chance|probability|likelihood|odds)(?= (?:that|it|the|this|we|our)\b)",
    r"(?:fifty[- ]fifty|50[/:-]50)(?= (?:whether|that|if|on whether|chance|odds)\b)",
    r"(?:put|make|call) (?:it|this|that|the odds) (?:at |around |about )*"
    rf"(?:\d{{1,2}}[/:-]\d{{1,2}}|{_UNDER_100})(?= (?:that|it)\b|[.,;:!]|$)",
    # certainty denied: "we can't rule out", "nobody can be sure"
    rf"{_SPEAKER}{_CANNOT} {_SURELY}be {_SURELY}{_CERTAIN}(?! of (?!it\b|this\b|that\b))",
    rf"{_SPEAKER}{_CANNOT} {_SURELY}(?:rule (?:\w+ ){{0,6}}out|rule out|exclude (?:that|the"
    r" possibility)|say (?:for (?:sure|certain)|with (?:any )?certainty)|swear to|vouch for"
    r"|tell for sure|know for (?:sure|certain)|pin (?:it|this) down)",
    rf"{_SPEAKER}{_NOT_WILLING} {_SURELY}{_EXCLUDE}",
    rf"{_WHO}(?:'d|'ll) (?:not|never|hardly) {_SURELY}{_EXCLUDE}",
    rf"{_WHO}(?: have|'ve)(?:n't| not| never)(?: yet| fully| really)? ruled (?:\w+ ){{0,6}}?out",
    r"(?:nobody|no one|none of us)(?: has| have) (?:yet |really |ever )?ruled (?:\w+ ){0,6}?out",
    rf"{_WHO}(?: am| are|'m|'re) not {_SURELY}(?:convinced|persuaded)"
    r"(?= (?:that|but|yet)\b|,)",
    rf"{_CANNOT} be (?:entirely |completely )?(?:ruled out|excluded)",
    r"(?:is|are|was|seems|remains) (?:\w+ly )?(?:conceivable|plausible|thinkable|imaginable)"
    r"(?=\s{0,3}[.,;:!)]| but\b|$)",
    r"out on a limb",
    r"(?:the )?odds (?:favou?r|suggest|point to)",
    r"(?:it's|it is|that's|this is|still) (?:an open question|up in the air|up for debate)",
    r"jury(?:'s| is) (?:still )?out",
    r"(?:nobody|no one|none of us)(?: really| yet)? (?:knows for (?:sure|certain)"
    rf"|can (?:be {_CERTAIN}|(?:say|tell) for (?:sure|certain)|rule out))",
    rf"{_WHO}(?: am| are|'m|'re) not {_SURELY}(?:confident|positive)",
    r"(?:far from|anything but|less than) (?:certain|sure)",
    r"(?:there is|there's|with) no certainty",
    r"no (?:telling|knowing|saying)(?= (?:if|whether|what|when|how|who|why|where)\b|[.,;!]|$)",
    rf"(?:no|zero|little) {_PROOF}{_OF_IT}",
    rf"(?:nobody|no one|none of us)(?: has| have| had|'s)?(?: yet| ever| actually| really)*"
    rf" (?:{_PROOF}{_OF_IT}|(?:confirmed|verified|proven|proved|checked|validated|double-checked)"
    r"(?= (?:it|this|that|yet|so far|whether|if)\b|\s{0,3}[,;:.)!—–]|$))",
    # what was found out by nobody: "this is unverified:", "(unconfirmed)"
    rf"(?:this|that|it|which|all of (?:this|it)) (?:is|was|'s|remains|has) {_STILL}{_UNCHECKED}"
    r"(?=\s{0,3}(?:[:,.;!)(—–]|-\s|$)| (?:but|though|so far|as yet|at this point|yet|and)\b)",
    rf"(?:this|that|it)'s {_STILL}{_UNCHECKED}(?=\s{{0,3}}(?:[:,.;!)(—–]|-\s|$)"
    r"| (?:but|though)\b)",
    rf"(?<=[(\[]){_STILL}{_UNCHECKED}(?: (?:claim|report|rumou?r|so far|yet))?(?=[)\],:;])",
    rf"(?<![^\n.!?]\s)(?<![^\s]){_STILL}{_UNCHECKED}(?=\s{{0,3}}[:,—–]|\s-\s|\sbut\b)",
    rf"(?<=[,;—–-]\s){_STILL}(?:but |though |although |as yet |still )?{_UNCHECKED}"
    r"(?=\s{0,3}(?:[.;!)]|$))",
    # who it was guessed by: "is suspected to be", "it is rumoured that", "the theory is"
    rf"(?:is|are|'s|'re|was|were|been|being|be) {_HELD}{_GUESSED} (?:to|that|of having)",
    rf"(?<=,\s){_HELD}{_GUESSED} to",
    r"(?:the|a|one|another) (?:\w+ ){0,2}(?:theory|suspicion|hypothesis|rumou?r|conjecture"
    r"|speculation) (?:is|was|goes|has it|being)(?= (?:that|the|it|a|we|this|our|there)\b|,|:)",
    r"(?:there are|there have been|hearing|heard|according to) (?:some |only )?rumou?rs",
    r"rumou?rs (?:say|have it|suggest|claim|are that)",
    # a feeling in place of knowledge: "something tells me", "we have a feeling"
    rf"{_WHO}(?:'ve| have| had| still have)?(?: got| get| getting)? (?:a|an|the|this|that)"
    rf" (?:\w+ ){{0,2}}{_FEELING}(?= (?:that|it|it's|the|this|we|they|he|she|there|i|a|about|some"
    r"|something|our|somebody|someone)\b|[.,:;!]|$)",
    r"something (?:tells me|in me says|makes me (?:think|believe|suspect))",
    r"(?:my|our) (?:gut|instincts?|intuition|nose|sixth sense)"
    r"(?: feeling)?(?:'s| is| are| says?| tells?| would be)",
    r"(?:it|that|this|i|we|which|nobody)(?: would not| wouldn't| would hardly| won't|'d not"
    r"|'d hardly| would) (?:be )?(?:surprised?|shock(?:ed)?|astonish(?:ed)?|amazed?)"
    r"(?: me| us| anyone| anybody)?(?: at all)?(?= (?:if|to|were)\b)",
    r"(?:would not|wouldn't|would hardly) (?:surprise|shock|astonish|amaze) (?:me|us) (?:if|to)",
)

# Each says less than certainty.
RESERVES = (
    _first(
        rf"(?:let's|let us)(?: just| now)? assume(?= (?:for|{_CLAUSE})\b)",
        r"(?:(?:my|our|the|working|current) ){0,3}assumptions?(?=\s{0,3}:)",
    ),
    rf"(?:unless|if) {_WHO}(?: am| are|'m|'re| was| were)(?: very| much| not| badly)?"
    r" (?:mistaken|wrong|misremembering|misreading|misinformed|confused)",
    rf"unless {_WHO} (?:misread|misheard|misunderstood|misremember)\w*",
    rf"{_WHO} (?:may|might|could|can) (?:well |also )?be (?:wrong|mistaken|misremembering)",
    r"correct me if i(?:'m| am) (?:wrong|mistaken)",
    r"(?:if|assuming) (?:my )?memory (?:serves|is right|doesn't fail)",
    r"(?:do not|don't) (?:quote|hold) me (?:on|to) (?:this|that|it)",
    r"(?:take|with) (?:\w+ ){0,3}(?:a )?(?:grain|pinch) of salt",
    rf"as {_WHO} (?:understand|see|read) it",
    rf"last (?:time )?{_WHO} (?:checked|heard|looked|knew)",
    r"off the top of (?:my|our) head",
    rf"{_WHO}(?:'m| am|'re| are) (?:inclined|tempted|leaning towards?|led) "
    r"(?:to (?:think|believe|say|assume|blame|suspect)|believing|thinking)",
    rf"{_WHO}(?:'m| am|'re| are) (?:leaning|tending|inclined) (?:towards?|to)",
    rf"{_WHO} never (?:tried|checked|verified|tested|confirmed|proved)"
    r"(?= (?:it|this|that)\b|[.,;!)]|$)",
    rf"{_WHO}(?: do| just| still| kind of| sort of| somehow){{0,4}} feel"
    rf"(?= {_CLAUSE}\b)",
    r"(?:safe|fair|reasonable) to (?:assume|suppose|guess|bet|say)",
    r"assuming (?:that )?[^,.;]{1,60} (?:is|are) (?:right|correct|true|accurate|valid|up to date)",
    r"(?:my|our) (?:\w+ ){0,2}(?:belief|assumption|impression|understanding)(?= (?:is|was)\b)",
    r"(?:one|some|you|somebody|a case) (?:could|can) (?:argue|be made)(?= (?:that|it|the)\b)",
    rf"{_WHO}(?: have|'ve)? (?:not|n't|haven't|have not) (?:yet |actually |really |been able to )?"
    r"(?:verif(?:y|ied)|confirm(?:ed)?|double-?check(?:ed)?|checked|validated?|tested)"
    r" (?:this|that|it|yet|whether|if)",
    rf"(?:is|are|'s|'re|been|being) {_HELD}{_SAID} (?:by \w+ (?:\w+ )?)?to"
    r" (?:be|have|come|lie|cause|stem|originate|leak|lead|contain"
    r"|use|run|work|support|need|affect|happen)"
    r"(?![^.;!?]{0,80} (?:when|if|once)\b)",
    rf"(?:it is|it's|this is|it has been) {_HELD}{_SAID} that",
    rf"{_WHO}(?: do| still)?(?: have|'ve) (?:my |our |some |serious )?doubts",
    r"(?<!main\s)(?<!prime\s)(?<!chief\s)(?<!a\s)(?<!the\s)suspects?"
    r"(?= (?:that|the|a|an|it|our|this)\b)",
    rf"(?<=,\s){_HELD}(?:believed|thought|said|reported|assumed) to be",
    r"(?:the|a) (?:\w+ ){0,2}(?:belief|assumption|impression|feeling|thinking|understanding)"
    r" (?:is|was) that",
    r"(?:needs|awaiting|pending|wants|lacks) (?:confirmation|verification)(?=[.,;:!)]|$)",
    r"(?:citation needed|tbc)(?=[\])]|[.,;:!]|$)",
    r"(?:some |good |every |little |any )?reasons? to (?:believe|think|suspect|assume)",
    r"(?:there (?:are|is|were)|there's) (?:\w+ ){0,2}(?:hint|sign|indication|clue)s? (?:that|of)",
    r"(?:most|more|very|quite) (?:probable|plausible) (?=\w)",
    r"(?:one|an?|another) (?:explanation|reason|cause|culprit|answer) (?:would|could|can) be",
    r"(?:my|our) (?:read|take|sense|bet|two cents)(?= (?:is|was|would be)\b|,|:)",
    r"just (?:an? |my )(?:thought|idea|opinion|two cents)",
    r"if you ask (?:me|us)",
    r"(?:it|that) stands to reason",
    rf"{_WHO}(?:'m| am|'re| are) betting (?:on|that)",
    rf"{_WHO} half expect",
    r"(?:tbd|to be (?:determined|decided|seen)|yet to be (?:determined|decided|seen))"
    r"(?=\s{0,3}[:.,;)]|$)",
    rf"(?<=,\s){_WHO}(?:'d| would)? (?:fear|take it|say|gather|imagine|presume|trust)(?=[,.;!)]|$)",
    rf"{_WHO}(?:'d| would) (?:say|think|imagine|assume|expect) (?:it|it's|the|that|this|our|there)",
    r"(?:who's|who is) to say",
    r"(?:my|our) (?:best|rough|first) (?:estimate|bet|reading|explanation) (?:is|was|would be)",
    r"(?:signs|everything|all|it all|clues|indications) (?:still )?points? (?:to|towards?|at)",
    r"(?:a little bird told|word on the street)",
    # how far anybody knows it: "as far as we can make out", "from what I hear"
    rf"(?:(?:as|so) (?:far|near|much)|as best) as {_ANYONE}{_TO_ME}",
    rf"(?:as best|from what|from all|by what|going by what) (?:that )?{_ANYONE}{_TO_ME}",
    # what somebody was told: "we've been told that", "or so they say"
    rf"(?:i|we){_BEEN} (?:also |just |always |reliably )?(?:told|informed|assured|led to believe"
    rf"|given to understand)(?= {_CLAUSE}\b|\s{{0,3}}(?:[,.;:!()—–]|$))",
    rf"(?<=[,;(—–-]\s)(?:or |at least )?so {_ANYONE}(?: \w+)?(?:{_TO_ME}|{_BEEN} (?:assured|led to"
    r" believe)| (?:say|says|said|claim|claims|claimed|think|thinks|believe|believes|assume|hope))"
    r"(?=\s{0,3}(?:[,.;:!()—–]|$))",
    # how it looks: "it would appear the", "…, it appears, …"
    rf"(?:it|this|that)(?:{_WOULD}| does| did)?(?: now| then| also| indeed)? appear(?:s|ed)?"
    rf"(?= (?!{_COUNTED}){_CLAUSE}\b)",
    rf"(?<=,\s)(?:or )?(?:so )?it{_WOULD}? appears?(?=\s{{0,3}}(?:[,.;!()—–]|$))",
    # one account among several: "one explanation is that"
    r"(?:one|another|an alternative) (?:\w+ )?(?:explanation|possibility|interpretation|theory"
    r"|hypothesis|reading|guess|suspicion)(?: (?:for|of|behind) (?:\w+ ){1,4}?| )"
    rf"(?:is|was|being|would be)(?= {_CLAUSE}\b|\s{{0,3}}[:,])",
    # what anybody would hold: "one would think", "…, I'd have thought"
    rf"{_ANYONE}{_WOULD}(?: have)? (?:think|thought|imagine|imagined|assume|assumed|suppose"
    rf"|supposed|believe|guess|guessed|hope|hoped|presume|venture|conclude)"
    rf"(?= {_CLAUSE}\b|\s{{0,3}}(?:[,.;!()—–]|$))",
)

# Of something past these tell a belief that somebody acted on, unless it is all that is said.
BELIEVED_ONCE = rf"(?:was|were|had been) {_HELD}{_SAID} to (?:be|have|come|lie|cause|stem)"
