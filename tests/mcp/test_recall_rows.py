"""The row that each recall leaves: who asked, where, by which agent, and what it gave."""

import json

from wire import git, over_stdio

from knowwhy.tables.write import table

REMOTE = "https://code.example.com/parcels/labels.git"
PLACE = "code.example.com/parcels/labels"
RULE = {
    "subject": "Small commits",
    "body": "Commit small because reviews are short.",
    "applies_to": {"persona": "reviewer"},
    "said_by": "user",
}


def rows():
    recalls = table("recalls")
    names = ("question", "question_class", "result_keys", "user_id", "project", "agent_id")
    chosen = {name: getattr(recalls, name) for name in (*names, "packed", "session_id")}
    return list(recalls.order_by(recalls.at).select(**chosen).collect())


def test_every_recall_of_an_assistant_leaves_one_row_of_its_project(store, tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "remote", "add", "origin", REMOTE)
    with over_stdio("--user", "ann", "--repo", str(tmp_path), "--profile", "all") as assistant:
        text = "Label printers speak ZPL because of the depot (ADR-3)."
        kept = assistant.ok("remember", text=text, said_by="user").data["key"]
        rule = assistant.ok("create_memory", **RULE).data["key"]
        agent = assistant.ok("register_agent", name="Coder", type="coding_assistant").data
        assistant.ok("recall")
        assistant.ok("get_memorules", applies_to={"persona": "reviewer"})
        assistant.ok("recall", query="Which language do label printers speak?")
        assistant.ok("search_decisions", agent_id=agent["agent_id"], query="Which printers?")

    newest, applying, asked, decided = rows()
    assert {("ann", PLACE)} == {(row["user_id"], row["project"]) for row in rows()}
    assert ("", "newest", {kept, rule}) == (
        newest["question"], newest["question_class"], set(newest["result_keys"])
    )  # fmt: skip
    assert ("applying", [rule]) == (applying["question_class"], applying["result_keys"])
    assert {"applies_to": {"persona": "reviewer"}} == applying["packed"]
    assert kept in asked["result_keys"]
    client = asked["agent_id"]
    assert [client, client] == [newest["agent_id"], applying["agent_id"]]
    assert agent["agent_id"] == decided["agent_id"] != client
    assert asked["session_id"] == newest["session_id"]


def test_recalls_are_those_of_the_agent_that_works_over_the_connection(store, tmp_path):
    with over_stdio("--user", "ann", "--profile", "all") as assistant:
        assistant.ok("remember", text="Label printers speak ZPL (ADR-3).", said_by="user")
        coder, tester = (
            assistant.ok("register_agent", name=name, type="coding_assistant").data["agent_id"]
            for name in ("Coder", "Tester")
        )
        assistant.ok("recall", query="What do printers speak?")
        begun = assistant.ok("start_agent_session", agent_id=coder).data["session"]
        assistant.ok("recall", query="What do printers speak?")
        assistant.ok("semantic_search", query="What do printers speak?")
        assistant.ok("recall")
        other = assistant.ok("start_agent_session", agent_id=tester).data["session"]
        assistant.ok("recall", query="What do printers speak?")  # whose it is nobody can tell
        assistant.ok("end_agent_session", agent_id=coder, session=begun)
        assistant.ok("recall", query="What do printers speak?")
        assistant.ok("end_agent_session", agent_id=tester, session=other)
        assistant.ok("recall", query="What do printers speak?")

    agents = [row["agent_id"] for row in rows()]
    program = agents[0]
    assert program not in (coder, tester)
    assert [program, coder, coder, coder, program, tester, program] == agents


def test_the_shell_lists_what_was_recalled_without_a_question(knowwhy, store):
    told = ("--subject", "Small commits", "--applies-to", "persona=reviewer", "--user", "ann")
    made = knowwhy("remember", RULE["body"], "--memorule-kind", "convention", *told)
    assert 0 == made.code, made
    knowwhy("agents", "register", "Coder", "--type", "coding_assistant", "--user", "ann")
    (agent,) = json.loads(knowwhy("agents", "list", "--user", "ann", "--json").out)
    knowwhy("memories", "--for", "persona=reviewer", "--user", "ann")
    knowwhy("agents", "search", agent["agent"], "decisions", "Which commits?", "--user", "ann")

    from knowwhy import telemetry

    telemetry.flush()
    shown = knowwhy("recalls", "--user", "ann").out

    assert [None, agent["agent"]] == [row["agent_id"] for row in rows()]
    assert "applying" == rows()[0]["question_class"]
    assert "(the rules that apply)" in shown
    assert agent["agent"] in shown
    assert 0 == len(json.loads(knowwhy("recalls", "--user", "bob", "--json").out))
