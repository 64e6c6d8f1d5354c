"""What the benches of the night tell, and what they call a fault."""

from evaluation.benches import night


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
