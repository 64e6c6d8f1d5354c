"""The plain words of doubt in German, as patterns."""

_I = r"(?:ich|wir)"
_BELIEVE = r"(?:glaub(?:en|e)|denk(?:en|e)|sch(?:ä|ae)tz(?:en|e)|mein(?:en|e))"
_SUPPOSE = r"(?:vermut(?:en|e)|tipp(?:en|e)|rat(?:en|e))"
_KNOW = r"(?:wei(?:ß|ss)|wissen)"

# Each makes a claim a speculation.
GERMAN_STRONG = (
    r"(?:vielleicht|vermutlich|m(?:ö|oe)glicherweise|wom(?:ö|oe)glich|eventuell|evtl|angeblich"
    r"|mutma(?:ß|ss)lich)",
    rf"{_I} {_SUPPOSE}|(?<=,\s){_SUPPOSE} {_I}",
    rf"{_I} {_KNOW} (?:es )?nicht(?: genau)?,? (?:ob|wo|wie|wer|was|wann)",
    r"nicht (?:ganz |v(?:ö|oe)llig |wirklich )?sicher,? (?:ob|dass)",
    r"keine ahnung",
    r"(?:es )?kann (?:gut |auch )?sein,? dass",
    r"k(?:ö|oe)nnten?(?= (?:\w+ ){0,5}(?:sein|liegen|kommen|stammen)\b(?! gelassen\b))",
)

# Each says less than certainty.
GERMAN_WEAK = (
    r"(?:wahrscheinlich|anscheinend|scheinbar|offenbar)",
    r"(?<!sehr\s)(?-i:wohl)(?= (?!oder\b|f(?:ü|ue)hlen\b)\w)",
    rf"{_I} {_BELIEVE}(?=, | (?:dass|der|die|das|es|wir)\b)(?! es (?:nicht|ihm|ihr)\b)",
    rf"(?<=,\s){_BELIEVE} {_I}",
    r"(?:ich nehme|wir nehmen) an|(?<=,\s)(?:nehme ich|nehmen wir) an",
    rf"(?:soweit|soviel|so weit|so viel) {_I} {_KNOW}",
    r"meines wissens|wenn ich mich (?:recht|richtig|nicht falsch) erinnere",
    r"bin (?:mir )?(?:ziemlich|fast|relativ|recht|halbwegs) sicher",
    r"es scheint(?=,| (?:so|als|dass)\b)",
)
