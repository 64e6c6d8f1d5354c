"""What the benches of the night tell, and what they call a fault."""

from evaluation.bench import FAULTS
from evaluation.benches import night, night_crowd


def test_the_figures_of_a_size_are_told_before_the_next_size_begins(monkeypatch, capsys):
    heard = []

    def one_night(size, home):
        heard.append(capsys.readouterr().err)
        return {"the whole night": f"{size} s"}, {"merge": float(size)}

    monkeypatch.setattr(night, "night", one_night)
    figures = night.measure(sizes=(10, 1_000))

    assert ["", "10: the whole night  10 s\n"] == heard
    assert "1,000: the whole night  1000 s\n" == capsys.readouterr().err
    assert "n^1.00" == figures["merge: growth from 10 to 1,000"]


def test_each_wait_of_a_writer_that_is_too_long_is_a_fault():
    told = night_crowd.waits([0.1, 0.4, 2.1, 3.2], [0.1, 0.2, 5.0])

    (fault,) = [name for name in told if name.endswith(FAULTS)]
    assert ("2", "3.20 s") == (told[fault], told["longest wait of a writer"])
    assert "0" == night_crowd.waits([0.1, 1.9], [5.0])[fault]
