"""What one client has written keeps no other waiting: it is read beside the loop, not in it."""

import threading

from wire import over_http, serving

from knowwhy.tables.agents import bearers

COSTLY = "x" * 900_000  # characters of a name that is not there; each of them is looked at
FEWEST = 3  # answers that another client gets meanwhile


def test_a_costly_text_in_an_error_holds_up_nobody_else(emptied):
    ann, bob = (bearers.add(user)[0] for user in ("ann", "bob"))
    with serving() as url, over_http(url, ann) as hers, over_http(url, bob) as his:
        hers.tools()
        his.tools()
        over, said = threading.Event(), []

        def ask():
            said.append(hers.call("get_record", key=COSTLY))
            over.set()

        asking = threading.Thread(target=ask)
        asking.start()
        answered = 0
        while not over.is_set():
            his.tools()
            answered += not over.is_set()
        asking.join()

    assert said[0].is_error
    assert FEWEST <= answered
