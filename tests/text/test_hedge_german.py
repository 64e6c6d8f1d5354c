"""Plain words of doubt in German, and words that only look like them."""

import pytest

from knowwhy.text.doubt.hedges import hedges
from pace import assert_linear

STRONG = """
Vermutlich läuft der Server auf Port 8080.
Der Server läuft vermutlich auf Port 8080.
Vielleicht benutzt billing MySQL.
Möglicherweise ist der Cache voll.
Moeglicherweise ist der Cache voll.
Eventuell ist der Cache voll.
Angeblich ist der Cache voll.
Ich vermute, dass billing MySQL benutzt.
Wir wissen nicht, ob billing MySQL benutzt.
Ich bin mir nicht sicher, ob billing MySQL benutzt.
Keine Ahnung, ob billing MySQL benutzt.
Es kann sein, dass der Cache voll ist.
Es könnte am Cache liegen.
"""
WEAK = """
Wahrscheinlich benutzt billing MySQL.
billing benutzt wahrscheinlich MySQL.
Anscheinend ist der Cache voll.
Der Server läuft wohl auf Port 8080.
Ich glaube, der Server läuft auf Port 8080.
Der Server läuft auf Port 8080, glaube ich.
Wir nehmen an, dass billing MySQL benutzt.
Soweit ich weiß, benutzt billing MySQL.
Meines Wissens benutzt billing MySQL.
Ich bin mir ziemlich sicher, dass billing MySQL benutzt.
"""
SURE = """
Der Server läuft auf Port 8080.
billing benutzt MySQL.
Der Kunde zahlt sowohl mit Karte als auch bar.
Wohl oder übel benutzen wir MySQL.
Robert Wohl owns billing.
Ich bin sicher, dass billing MySQL benutzt.
Wir wissen, dass der Cache voll ist.
Ich denke an den Cache.
Die wahrscheinlichste Ursache steht im Bericht.
Nutzer könnten Dateien hochladen.
Der Vermutungstext steht in der Vorlage.
Das Flag `vielleicht` ist aus.
"""


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(STRONG))
def test_a_german_word_of_strong_doubt_is_found(text):
    assert [True] == [hedge.strong for hedge in hedges(text)]


@pytest.mark.parametrize("text", lines(WEAK))
def test_a_german_word_of_weak_doubt_is_not_strong(text):
    assert [False] == [hedge.strong for hedge in hedges(text)]


@pytest.mark.parametrize("text", lines(SURE))
def test_german_without_doubt_is_none(text):
    assert [] == hedges(text)


@pytest.mark.parametrize("part", ["könnte ", "ich glaube ", "nicht sicher ", "wohl "])
def test_a_long_german_text_is_read_in_linear_time(part):
    assert_linear(hedges, part)
