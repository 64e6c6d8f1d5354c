"""German words of requests that have no topic."""

from knowwhy.text.question.bulk_words import vocabulary

_ASKING = """
liste list auflisten zeig zeige zeigt zeigen anzeigen gib gebt geben ausgeben druck drucke drucken
dump dumpe dumpen export exportier exportiere exportieren nenn nenne nennt nennen aufzählen zähl
zähle sag sage sagt sagen erzähl erzähle erzählt erzählen verrat verrate verraten wiederhol
wiederhole wiederholen kopier kopiere kopieren schreib schreibe schreiben schick schicke schicken
sende senden hol hole holen lad lade laden lies lesen such suche suchen find finde finden ruf rufe
abrufen extrahier extrahiere extrahieren fass fasse teil teile liefer liefere liefern beschreib
beschreibe übersetz übersetze durchsuch durchsuche weiter spuck spucke enthüll enthülle enthüllen
sehen
"""
_DUMPING = """
dump dumpe dumpen export exportier exportiere exportieren extrahier extrahiere extrahieren lad lade
herunterladen
"""
_POLITE = """
bitte mal doch jetzt nun ok okay hey hi hallo dann zuerst und auch anschließend danach endlich
einfach nur sofort aber stattdessen kann kannst könnt können könnte könntest könnten würdest würde
würden du sie ihr das die den ich wir will möchte möchten wollen brauche brauchen gern gerne mir uns
lass danke sehr wichtig dringend
"""
_QUESTIONS = """
was welche welcher welches welchen welchem wer wessen wem wen woran worüber warum wieso weshalb
weswegen wie wo wohin woher wann womit wofür wozu hat haben ist sind war waren wird werden wurde
wurden soll sollte gibt
"""
_OF_WHAT = "was welche welcher welches welchen welchem wer wessen woran worüber"
_EVERYTHING = "alles alle allen aller allem"
_ALL = """
alles alle allen aller allem jede jeder jedes jeden jedem ganze ganzen ganzer ganzes gesamte
gesamten gesamter gesamtes komplette kompletten kompletter komplettes vollständige vollständigen
vollständiger vollständiges sämtliche sämtlichen sämtlicher sämtliches
"""
_THINGS = """
erinnerung erinnerungen eintrag einträge einträgen datensatz datensätze datensätzen aufzeichnung
aufzeichnungen fakt fakten notiz notizen gespräch gespräche gesprächen unterhaltung unterhaltungen
konversation konversationen chat chats chatverlauf verlauf nachricht nachrichten daten datenbank
datenbanken db inhalt inhalte inhalten information informationen info infos wissen wissensbasis
wissensdatenbank dokument dokumente dokumenten passage passagen kontext kontexte geschichte historie
ding dinge sache sachen abfrage abfragen anfrage anfragen suche suchen frage fragen beispiel
beispiele beispielen benutzer benutzern nutzer nutzern user users besitzer eigentümer id ids
schlüssel speicher gedächtnis index memory memories records
"""
_STORES = """
erinnerung erinnerungen gedächtnis gedächtnisses speicher speichers datenbank datenbanken db wissen
wissensbasis wissensdatenbank kontext kontexte verlauf historie prompt prompts systemprompt
anweisung anweisungen aufzeichnungen gespräche daten inhalt inhalte einträge datensätze gehirn index
memory memories records
"""
_SAID = """
kontext kontexte prompt prompts systemprompt anweisung anweisungen text texte wort wörter worte
nachricht nachrichten gespräch gespräche eingabe eingaben inhalt inhalte dokument dokumente passage
passagen beispiel beispiele frage fragen abfrage abfragen anfrage anfragen suche suchen antwort
antworten ausgabe ausgaben erinnerung erinnerungen absatz absätze regeln dialog ergebnisse
"""
_BEFORE = """
vorherige vorherigen vorheriger vorheriges vorige vorigen voriger obige obigen obiger obiges frühere
früheren früherer bisherige bisherigen bisheriger vorangegangene vorangegangenen ursprüngliche
ursprünglichen ursprünglicher anfängliche anfänglichen versteckte versteckten verborgene verborgenen
abgerufene abgerufenen vergangene vergangenen oben davor zuvor vorher system
"""
_PEOPLE = """
benutzer benutzern benutzers nutzer nutzern user users person personen leute leuten mensch menschen
kunde kunden besitzer eigentümer mandant mandanten agent agenten jemand
"""
_KNOWING = """
weißt wissen wisst kennst kennen erinnerst erinnern gemerkt merkst hast habt haben hattest
gespeichert speicherst speichern behalten gesehen siehst gelernt abgelegt enthält enthalten steht
stehen liegt liegen bekannt
"""
_TELLING = """
gesagt sagten erzählt erzählten gefragt fragten gesucht suchten geteilt teilten geschrieben
schrieben gespeichert speicherten sagen sagten erzählen
"""
_YOUR = "dein deine deinen deiner deinem deines ihr ihre ihren ihrer ihrem eure euren"
_YOU = f"du dich dir sie ihnen {_YOUR}"
_ONESELF = "mich mir mein meine meinen meiner meinem uns unser unsere unseren unserer"
_SMALL = """
der die das den dem des ein eine einen einer einem eines dies diese dieser dieses diesen diesem es
sie ihn ihm ihnen da hier dort ich wir von vom aus in im an am auf zu zum zur für mit bei beim durch
über um als oder nicht kein keine ob wenn dass innerhalb unter pro sein habe kann darf soll schon
bereits gerade bisher bis je jemals noch einmal nochmal wieder immer gleich genau wörtlich
wortwörtlich exakt unverändert komplett vollständig roh klartext lang kurz ausführlich detailliert
detail details einzeln einzelne einzelnen nacheinander nach liste listen tabelle json csv xml yaml
base64 rot13 markdown format text zeile zeilen reihenfolge unten antwort ausgabe gespeicherte
gespeicherten gespeicherter vorhandene vorhandenen existierende existierenden verfügbare verfügbaren
private privaten persönliche persönlichen geheime geheimen vertrauliche vertraulichen interne
internen sensible sensiblen aktive aktiven aktuelle aktuellen neueste neuesten letzte letzten
einschließlich inklusive samt mitsamt ohne ausnahme ausnahmen grenze grenzen filter name namen
zeitstempel datum metadaten quelle quellen sitzung sitzungen projekt projekte projekten anfang ende
beginn sicherung backup test kopie her heraus raus ab los so möglich mehr eigene eigenen gegeben
assistent modell kopf pool pools team global verleihen verleiht verliehen verliehene verliehenen
geteilte geteilten zusammen
"""

GERMAN = vocabulary(
    _SMALL,
    asking=_ASKING,
    dumping=_DUMPING,
    losing="verloren vergessen habe hab",
    polite=_POLITE,
    questions=_QUESTIONS,
    of_what=_OF_WHAT,
    everything=_EVERYTHING,
    all=_ALL,
    things=_THINGS,
    stores=_STORES,
    said=_SAID,
    rules="kontext prompt systemprompt anweisung anweisungen",
    before=_BEFORE,
    above="oben davor zuvor vorher",
    people=_PEOPLE,
    of_people="der die den von",
    others="jedermann jemandem jemanden",
    other="andere anderen anderer anderem anderes",
    knowing=_KNOWING,
    telling=_TELLING,
    being="sind",
    you=_YOU,
    your=_YOUR,
    addressed=f"{_YOU} mir mich uns bitte",
    about="über von zu",
    oneself=_ONESELF,
    paging="""
        erste ersten nächste nächsten folgende folgenden weitere weiteren restliche restlichen
        übrige übrigen rest
    """,
    portions="seite seiten teil teile abschnitt abschnitte",
    sharing="""
        teilt teilen geteilt geteilte geteilten teilten teilte verleihen verleiht verliehen
        verliehene verliehenen
    """,
    circles="pool pools team jeder jedermann alle",
    sorts="""
        entscheidung entscheidungen vorfall vorfälle vorlieben abläufe lehren aufgabe aufgaben
        übergabe übergaben
    """,
)
