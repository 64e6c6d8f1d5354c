import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.entities import entities
from pace import assert_linear


def named(text, kind=None):
    return [(e.name, e.type) for e in entities(text) if kind in (None, e.type)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("payments-api calls auth-service",
         [("payments-api", "service"), ("auth-service", "service")]),
        ("orderSvc and OrderService", [("order-svc", "service"), ("order-service", "service")]),
        ("the checkout service failed", [("checkout-service", "service")]),
        ("the new checkout service failed", [("checkout-service", "service")]),
        ("The order processing service", [("order-processing-service", "service")]),
        ("the same service, the service", []),
        ("the quality of service", []),
        ("a denial-of-service", []),
        ("a third-party-service", []),
        ("Postgres, PostgreSQL and psql", [("postgresql", "dependency")]),
        ("k8s is Kubernetes", [("kubernetes", "dependency")]),
        ("Apache Kafka", [("kafka", "dependency")]),
        ("REDIS and redis", [("redis", "dependency")]),
        ("we use C++ here", [("c++", "dependency")]),
        ("node.js", [("node.js", "dependency")]),
        ("pub/sub", [("publish-subscribe", "pattern")]),
        ("written in Go", [("golang", "dependency")]),
        ("go services", [("golang", "dependency")]),
        ("let it go", []),
        ("Go away.", []),
        ("the envoy proxy", [("envoy", "dependency")]),
        ("an envoy of peace", []),
        ("they react to it", []),
        ("built with React", [("react", "framework")]),
        ("in the spring", []),
        ("on Spring Boot", [("spring boot", "framework")]),
        ("the `salt` runner", [("salt", "dependency")]),
        ("add salt", []),
        ("stored in Vault", [("vault", "dependency")]),
        ("a storm came", []),
        ("Django", [("django", "framework")]),
        ("Ruby on\n   Rails", [("ruby on rails", "framework")]),
        ("a circuit breaker", [("circuit breaker", "pattern")]),
        ("Circuit-breakers", [("circuit breaker", "pattern")]),
        ("sagas and CQRS", [("saga", "pattern"), ("cqrs", "pattern")]),
        ("the outbox", [("outbox", "pattern")]),
        ("blue-green deployments", [("blue-green deployment", "pattern")]),
        ("exponential backoff", [("retry with backoff", "pattern")]),
        ("idempotency keys", [("idempotency key", "pattern")]),
        ("GET /v1/orders.", [("GET /v1/orders", "api")]),
        ("call /api/v2/users/{id}", [("/api/v2/users/{id}", "api")]),
        ("POST `/v1/pay`", [("POST /v1/pay", "api")]),
        ("OrderService.Create", [("OrderService.Create", "api")]),
        ("GET well soon", []),
        ("https://a.b/api/v1/x", []),
        ("set MAX_RETRIES", [("MAX_RETRIES", "config")]),
        ("feature.flags.checkout", [("feature.flags.checkout", "config")]),
        ("--max-old-space-size", [("--max-old-space-size", "config")]),
        ("--timeout=5", [("--timeout", "config")]),
        ("maxPoolSize: 20", [("maxPoolSize", "config")]),
        ("pool.max.size=20", [("pool.max.size", "config")]),
        ("self_name = 5", []),
        ("size: 5", []),
        ("the Platform team", [("platform", "team")]),
        ("the payments team", [("payments", "team")]),
        ("the whole team", []),
        ("team-payments", [("payments", "team")]),
        ("cc @org/pay-team", [("@org/pay-team", "team")]),
        ("@types/node", []),
        ("SREs and SRE", [("sre", "team")]),
        ("Ann Lee <ann@x.org>", [("Ann Lee", "person")]),
        ("Guido van Rossum <g@x.org>", [("Guido van Rossum", "person")]),
        ("Approved by Jane Doe.", [("Jane Doe", "person")]),
        ("approved by everyone", []),
        ("owner: @jane", [("@jane", "person")]),
        ("drafted (@hvanz)", [("@hvanz", "person")]),
        ("the @decorator", []),
        ("Author: Al Bo, Cy Day", [("Al Bo", "person"), ("Cy Day", "person")]),
        ("", []),
    ],
)  # fmt: skip
def test_a_text_names_its_entities(text, expected):
    assert expected == named(text)


def test_an_entity_is_given_once_in_order_of_first_appearance_as_written():
    found = entities("Postgres, then payments-api, PostgreSQL and payments-api")

    assert ["postgresql", "payments-api"] == [e.name for e in found]
    assert ["Postgres", "payments-api"] == [e.text for e in found]


@given(st.text(max_size=300))
def test_any_text_gives_each_entity_once(text):
    found = [(e.name, e.type) for e in entities(text)]

    assert len(set(found)) == len(found)
    assert all(name and name == name.strip() for name, _ in found)


@pytest.mark.parametrize(
    "unit",
    [
        "a", "[", "#", "-", "a.", "a-", "A_", "/api", "GET /", "the a ", "--a-", "Aa ", "circuit ",
        "@a/", "by ", "Aa Bb <", "go ", "Author: ", " ", "\n", "retry with ",
    ],
)  # fmt: skip
def test_a_hostile_text_is_read_in_linear_time(unit):
    assert_linear(entities, unit)
