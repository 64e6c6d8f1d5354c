import pytest

from evaluation import golden
from evaluation.sets import Question
from evaluation.ways import WHOLE, Asked


def question(name, answers, **more):
    return Question(name, f"What is {name}?", frozenset(answers), (f"class={name[0]}",), **more)


def asked(*ranked, abstained=False):
    return Asked(ranked, 1.0, abstained)


QUESTIONS = [
    question("a1", ["x"], cite="x"),
    question("a2", ["x", "y"]),
    question("b1", ["z"], cite="z"),
    question("n1", []),
]
RUN = {
    WHOLE: {
        "a1": asked("x", "y"),
        "a2": asked("y"),
        "b1": asked("x", "z"),
        "n1": asked("x", abstained=True),
    }
}


def test_a_baseline_holds_figures_in_all_and_by_class():
    figures = golden.summary(QUESTIONS, RUN)["figures"]
    assert 0.8333 == figures["R@10"]
    assert 0.5 == figures["cited"]
    assert 1.0 == figures["abstains"]
    assert 1.0 == figures["answers"]
    assert {"class=a R@10": 0.75, "class=b R@10": 1.0, "class=n abstains": 1.0} == {
        name: value for name, value in figures.items() if name.startswith("class")
    }


def test_the_wrong_record_first_is_half_an_answer():
    questions = golden.summary(QUESTIONS, RUN)["questions"]
    assert {"a1": 1.0, "a2": 0.5, "b1": 0.5, "n1": 1.0} == questions


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"R@10": 0.9, "cited": 0.5}, []),
        ({"R@10": 0.95, "cited": 0.4996}, []),
        ({"R@10": 0.89, "cited": 0.5}, ["  R@10: 0.8900, was 0.9000"]),
        ({"R@10": 0.9}, ["  cited: 0.0000, was 0.5000"]),
    ],
)
def test_a_figure_below_its_baseline_is_named(now, expected):
    assert expected == golden.fallen({"R@10": 0.9, "cited": 0.5}, now)


def test_lost_and_won_questions_are_printed(capsys):
    golden.print_changes(
        {"a1": 1.0, "a2": 0.5, "b1": 0.5, "gone": 1.0},
        {"a1": 0.5, "a2": 1.0, "b1": 0.5, "new": 1.0},
        QUESTIONS,
    )
    assert (
        "\nLost: 1\n  a1: 1.00 → 0.50  What is a1?\n\nWon: 1\n  a2: 0.50 → 1.00  What is a2?\n"
    ) == capsys.readouterr().out
