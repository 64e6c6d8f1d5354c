import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.text.pages.chunks import chunks
from knowwhy.text.pages.transcripts import (
    MAX_CUES,
    TURN_LIMIT,
    Turn,
    caption_format,
    caption_title,
    is_speaker,
    read_captions,
    read_transcript,
    written_out,
)
from pace import assert_linear, run_of

VTT = """WEBVTT - Weekly sync
Kind: captions

NOTE made by hand
00:00:00.000 --> 00:00:09.000
not said

STYLE
::cue { color: red }

intro
00:00:01.000 --> 00:00:04.000 align:start position:0%
<v.loud Alice Smith>Hello &amp; <i>welcome</i>.</v>

2
00:00:04.000 --> 00:00:06.000
<v Alice Smith>Kafka it is.</v> <v Bob>OK</v>

00:10.000 --> 00:12.500
Carol Lee: I am late.
"""
SRT = """1
00:00:01,000 --> 00:00:02,000
BOB: Hi
there

2
00:00:03,500 --> 00:00:04,000
Note: this is his, too

3
01:00:05,000 --> 01:00:06,000
- ANN: Bye
"""
ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000

hello<00:00:00.500><c> there</c>

00:00:00.100 --> 00:00:02.000
\x20
hello<00:00:00.500><c> there</c>

00:00:02.000 --> 00:00:02.010
hello there
\x20

00:00:02.010 --> 00:00:04.000
hello there
we<00:00:02.500><c> are here</c>

00:00:04.000 --> 00:00:04.010
we are here
\x20
"""


@pytest.mark.parametrize(
    ("text", "form"),
    [(VTT, "vtt"), (SRT, "srt"), ("\ufeffWEBVTT\n", "vtt"), ("1\nx", None), ("", None)],
)
def test_captions_are_known_by_their_beginning(text, form):
    assert form == caption_format(text)


def test_webvtt_gives_turns_by_voice_and_none_of_its_comments():
    expected = [
        Turn("Alice Smith", "Hello & welcome. Kafka it is.", 1.0, 6.0),
        Turn("Bob", "OK", 4.0, 6.0),
        Turn("Carol Lee", "I am late.", 10.0, 12.5),
    ]
    assert expected == read_captions(VTT)
    assert "Weekly sync" == caption_title(VTT)


def test_srt_gives_turns_and_what_has_no_name_belongs_to_the_last_speaker():
    expected = [
        Turn("BOB", "Hi there Note: this is his, too", 1.0, 4.0),
        Turn("ANN", "Bye", 3605.0, 3606.0),
    ]
    assert expected == read_captions(SRT)


def test_lines_that_roll_up_are_read_once():
    assert "hello there we are here" == " ".join(turn.text for turn in read_captions(ROLLING))


def test_the_same_words_after_a_pause_were_said_again():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nYes.\n\n00:09.000 --> 00:10.000\nYes.\n"
    assert "Yes. Yes." == read_captions(text)[0].text


def test_turns_are_written_with_time_and_speaker_as_paragraphs():
    turns = [Turn("Ann", "Hi.", 1.2), Turn(None, "Noise", 3605.0), Turn("Bob", "Yes.")]
    assert "[00:00:01] Ann: Hi.\n\n[01:00:05] Noise\n\nBob: Yes." == written_out(turns)


def test_a_monologue_is_cut_into_paragraphs_and_passages_begin_with_their_speaker():
    cues = "".join(
        f"{n // 60:02d}:{n % 60:02d}.000 --> {n // 60:02d}:{n % 60:02d}.900\n"
        f"<v Ann>These are words of sentence {n}.\n\n"
        for n in range(300)
    )
    content = written_out(read_captions(f"WEBVTT\n\n{cues}"))

    assert max(map(len, content.split("\n\n"))) < TURN_LIMIT + 100
    for suffix in (".vtt", ".md", ".txt"):
        passages = chunks(content, suffix)
        assert len(passages) > 5
        assert all(passage.text.startswith("[0") for passage in passages)


@pytest.mark.parametrize(
    "text",
    [
        "Alice: one\nBob: two\nAlice: three\n still",
        "[00:00:01] Alice: one\n[00:00:02] Bob: two\n[00:00:03] Alice: three still",
        "(0:01) Alice: one\n(0:02) Bob: two\n(0:03) Alice: three still",
        "10:02 Alice: one\n10:03 - Bob: two\n10:04 Alice: three still",
        "10:02 Alice\none\n\n10:03 Bob\ntwo\n\n10:04 Alice\nthree still",
        "Alice  0:01\none\n\nBob  0:05\ntwo\n\nAlice  1:05\nthree still",
        "[10:02] <Alice> one\n[10:03] <Bob> two\n[10:04] <Alice> three still",
        "**Alice:** one\n\n**Bob**: two\n\n**Alice:** three\nstill",
        "10:02:03 From Alice to Everyone: one\n10:02:04 From Bob to Everyone: two\n"
        "10:02:05 From Alice to Everyone: three still",
        "1:02 PM Alice: one\n1:03 PM Bob: two\n1:04 PM Alice: three still",
        "Alice (00:01): one\nBob (00:02): two\nAlice (00:03): three still",
        "- Alice: one\n- Bob: two\n- Alice: three still",
    ],
)
def test_transcripts_are_read_in_all_their_forms(text):
    read = read_transcript(f"# Sync\nDate: 2024-03-12\n\n{text}\n\n## Actions\n- none\n")

    assert read is not None
    said = [(turn.speaker, turn.text) for turn in read.turns]
    assert [("Alice", "one"), ("Bob", "two"), ("Alice", "three still")] == said
    assert "# Sync\nDate: 2024-03-12\n" == read.opening
    assert "## Actions\n- none" in read.outside


def test_full_names_are_told_from_what_follows_when_they_recur():
    text = "10:02 Ann Lee I think so\n10:03 Bob Ray No\n10:05 Ann Lee Yes\n10:06 Bob Ray Fine"
    read = read_transcript(text)

    assert read is not None
    assert ["Ann Lee", "Bob Ray", "Ann Lee", "Bob Ray"] == [turn.speaker for turn in read.turns]
    assert "I think so" == read.turns[0].text
    assert 10 * 3600 + 2 * 60 == read.turns[0].start


def test_each_turn_becomes_a_paragraph_and_no_word_changes():
    text = "Alice: one\nmore\nBob: two\n\nAlice: three"
    read = read_transcript(text)

    assert read is not None
    assert "Alice: one\nmore\n\nBob: two\n\nAlice: three" == read.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Date: 2024-03-12\nAttendees: Ann\nLocation: here\nChair: Bob\n\nWords.",
        "# Minutes\n\nKafka: we use it.\n\nRedis: we do not.\n\nMany paragraphs.\n\nMore of them.",
        "Some prose: with a colon.\nAnd more: of it.\n",
        "- item one\n- item two\n- item three",
    ],
)
def test_other_texts_are_no_transcripts(text):
    assert read_transcript(text) is None


@pytest.mark.parametrize(
    "name",
    ["Ann", "Ann Lee", "Speaker 1", "SPEAKER_00", "Ludwig van B.", "Dr. Lee", "@ann", "Élodie"],
)
def test_names_are_speakers(name):
    assert is_speaker(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Decision",
        "ACTION",
        "Note that",
        "and so",
        "It follows that we must do",
        "AI",
        "42",
        "https",
    ],
)
def test_fields_and_sentences_are_not(name):
    assert not is_speaker(name)


def test_captions_without_end_are_refused():
    with pytest.raises(BadInput, match="split them"):
        read_captions("WEBVTT\n\n" + "00:00.000 --> 00:00.001\na\n\n" * (MAX_CUES + 1))


@given(st.text())
def test_any_text_is_read_or_is_none(text):
    read = read_transcript(text)
    assert read is None or "".join(read.text.split()) == "".join(text.split())


@given(
    st.lists(
        st.sampled_from(
            [
                "WEBVTT",
                "",
                "00:01.000 --> 00:02.000",
                "<v Ann>hi",
                "Bob: yes",
                "NOTE x",
                "1",
                "<v >",
                " ",
                "-->",
                "a <b> c",
            ]
        )
    )
)
def test_any_captions_are_read(lines):
    for turn in read_captions("\n".join(lines)):
        assert turn.text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "A",
        ":",
        "Aa ",
        "10:02 ",
        "10:02 Aa Bb cc\n",
        "**",
        "Al: b\n",
        "\n",
        run_of(" ", after="x"),
        run_of("A ", "[0:01] "),
    ],
)
def test_hostile_text_is_read_in_linear_time(text):
    assert_linear(read_transcript, text)


@pytest.mark.parametrize("piece", ["<v ", "<a", "a:", "&"])
def test_hostile_captions_are_read_in_linear_time(piece):
    assert_linear(read_captions, run_of(piece, "WEBVTT\n\n00:00.000 --> 00:01.000\n", "\n"))
