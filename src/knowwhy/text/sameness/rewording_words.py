"""The words by which one claim is said in two ways; no name, number or denial is among them."""

# Verbs that only say that something is so: in the place of each other they change nothing.
_CARRYING = """
use run rely choose decide work exist get make have happen base stand adopt employ pick select stay
"""
# Of each row any may stand for the others, in a claim that else agrees.
_ALIKE = """
prefer like love favour enjoy; because since; team squad crew; fix repair resolve solve;
buy purchase; often frequently regularly; usually generally typically normally; help assist;
issue problem trouble; client customer; website site; handle process manage; send deliver;
save store persist keep; enough sufficient; watch monitor observe; check verify validate;
fast quick rapid speedy; slow sluggish; begin start launch;
answer reply response respond; allow let enable; talk speak; also additionally; maybe perhaps;
find locate discover; explain describe; rare seldom rarely infrequent; different distinct
"""
# What may stand in one of the two and add nothing, beside what copies may add everywhere.
_FILLING = """
thing stuff way fact sake best kind sort overall basically
"""
# Prepositions that turn a claim around: in both or in neither. Others say less than their order.
_POINTING = """
from until off out up within than over during under
"""
_PAST = """
was were had formerly previously once
"""
_STEPS = """
then next first finally afterwards later
"""
_PURPOSE = """
for as
"""
_SPEAKERS = """
we i our my
"""
CARRYING = frozenset(_CARRYING.split())
ALIKE = {word: row.split()[0] for row in _ALIKE.split(";") for word in row.split()[1:]}
FILLING = frozenset(_FILLING.split())
POINTING = frozenset(_POINTING.split())
PAST = frozenset(_PAST.split())
STEPS = frozenset(_STEPS.split())
PURPOSE = frozenset(_PURPOSE.split())
SPEAKERS = frozenset(_SPEAKERS.split())
