"""Well-known dependencies, frameworks and patterns, and which of their names are common words."""

# One entry ends at each semicolon: the canonical name, then its other spellings.
_DEPENDENCIES = """
postgresql, postgres, psql, pgsql, postgre; mysql; mariadb, maria db; sqlite, sqlite3; oracle
database, oracle db; sql server, mssql, ms sql, microsoft sql server; cockroachdb, cockroach db,
crdb; cassandra, apache cassandra; scylladb, scylla; mongodb, mongo; dynamodb, dynamo db, amazon
dynamodb; simpledb; cosmosdb, cosmos db; couchdb; couchbase; redis; valkey; memcached, memcache;
elasticsearch, elastic search; opensearch; solr, apache solr; clickhouse; influxdb; timescaledb,
timescale; victoriametrics; neo4j; janusgraph; dgraph; arangodb; duckdb; snowflake; bigquery, big
query; redshift, amazon redshift; aurora, amazon aurora; rds, amazon rds; spanner, cloud spanner;
bigtable, cloud bigtable; firestore; firebase; supabase; planetscale; vitess; tidb; yugabytedb,
yugabyte; etcd; zookeeper, apache zookeeper; consul, hashicorp consul; vault, hashicorp vault;
nomad, hashicorp nomad; rocksdb; leveldb; lmdb; hbase, apache hbase; hadoop, apache hadoop; hdfs;
hive, apache hive; presto, prestodb; trino; druid, apache druid; pinot, apache pinot; iceberg,
apache iceberg; delta lake; parquet; avro; arrow, apache arrow; pgbouncer; pgvector; faiss; milvus;
pinecone; weaviate; qdrant; chromadb; hnswlib; kafka, apache kafka; redpanda; rabbitmq, rabbit mq;
activemq, active mq; pulsar, apache pulsar; nats; zeromq, zmq, 0mq; mosquitto; mqtt; sqs, amazon
sqs; sns, amazon sns; kinesis, amazon kinesis; eventbridge; pubsub, cloud pub/sub, google pubsub,
cloud pubsub; service bus, azure service bus; event hubs, eventhub; celery; sidekiq; resque; bullmq;
temporal, temporal.io; airflow, apache airflow; dagster; prefect; luigi; argo workflows; argo cd,
argocd; flux cd, fluxcd; spark, apache spark; flink, apache flink; beam, apache beam; storm, apache
storm; samza; kafka connect; debezium; kafka streams; ksqldb; dbt; fivetran; aws, amazon web
services; gcp, google cloud, google cloud platform; azure, microsoft azure; digitalocean; heroku;
vercel; netlify; fly.io; cloudflare; fastly; akamai; cloudfront; s3, amazon s3; ec2, amazon ec2;
ebs, amazon ebs; elb, elastic load balancing; route 53, route53; lambda, aws lambda; ecs, amazon
ecs; eks, amazon eks; fargate; cloudwatch; cloudformation; iam; kms; gke, google kubernetes engine;
cloud run; aks; gcs, google cloud storage; kubernetes, k8s, kube; kubectl; helm; kustomize;
openshift; rancher; docker; docker compose, docker-compose; podman; containerd; cri-o; buildkit;
terraform; opentofu; pulumi; ansible; puppet; chef; salt, saltstack; packer; vagrant; istio;
linkerd; envoy; kong; nginx; haproxy; traefik; apache httpd, apache http server; caddy; varnish;
squid; keepalived; coredns; calico; cilium; flannel; prometheus; alertmanager; grafana; loki; tempo;
jaeger; zipkin; opentelemetry, otel; datadog; new relic, newrelic; splunk; sentry; honeycomb;
pagerduty; opsgenie; statuspage; fluentd; fluent bit, fluentbit; logstash; kibana; filebeat;
telegraf; statsd; nagios; zabbix; jenkins; github actions; gitlab ci; circleci; travis ci, travis;
buildkite; teamcity; bazel; gradle; maven, apache maven; npm; yarn; pnpm; webpack; vite; babel;
eslint; pip; poetry; setuptools; conda; git; github; gitlab; bitbucket; gerrit; mercurial;
artifactory; nexus; sonarqube; okta; auth0; keycloak; active directory; ldap; oauth, oauth2, oauth
2.0; openid connect, oidc; saml; jwt, json web token; openssl; let's encrypt, letsencrypt;
cert-manager, certmanager; stripe; paypal; adyen; braintree; twilio; sendgrid; mailgun; mailchimp;
slack; jira; confluence; zendesk; salesforce; shopify; amplitude; launchdarkly; unleash; openai;
anthropic; hugging face, huggingface; pytorch; tensorflow; onnx, onnx runtime, onnxruntime; numpy;
pandas; scipy; scikit-learn, sklearn; polars; dask; ray; mlflow; kubeflow; jupyter; jupyterhub;
langchain; sqlalchemy; alembic; hibernate; prisma; typeorm; sequelize; mongoose; jdbc; protobuf,
protocol buffers; thrift, apache thrift; grpc; graphql; apollo; openapi; swagger; httpx; axios;
guava; jackson; log4j; logback; slf4j; lodash; jquery; redux; rxjs; boost; libuv; zlib; zstd;
libcurl; ffmpeg; imagemagick; linux; ubuntu; debian; alpine linux; windows server; jvm; node.js,
nodejs, node js; deno; bun; pypy; cpython; cython; gunicorn; uvicorn; uwsgi; tomcat, apache tomcat;
jetty; netty; wildfly; iis; gevent; twisted; asyncio; python; java; golang, go; rust; kotlin; scala;
swift; ruby; php; typescript; javascript; elixir; erlang; haskell; clojure; c++; c#; pixeltable;
rank-bm25; minio; ceph; nfs; glusterfs; longhorn; portworx; velero; vmware; openstack; proxmox; xen;
kvm; firecracker; qemu; systemd; cron; bgp; dns; ntp; wireguard; openvpn; kerberos
"""

_FRAMEWORKS = """
django; flask; fastapi; starlette; tornado; pyramid; sanic; aiohttp; django rest framework, drf;
pytest; streamlit; pydantic; marshmallow; scrapy; react, react.js, reactjs; react native; next.js,
nextjs; vue, vue.js, vuejs; nuxt, nuxt.js, nuxtjs; angular, angularjs; svelte; sveltekit; solidjs,
solid.js; remix; gatsby; astro; ember, ember.js, emberjs; backbone.js, backbonejs; express,
express.js, expressjs; koa, koa.js; nestjs, nest.js; fastify; hapi, hapi.js; electron; tauri; ionic;
flutter; tailwind, tailwind css, tailwindcss; material ui; bootstrap; storybook; jest; mocha;
vitest; cypress; playwright; selenium; spring; spring boot, springboot; spring cloud; spring mvc;
spring security; micronaut; quarkus; dropwizard; vert.x; akka; ktor; junit; mockito; testng; struts;
grails; ruby on rails, rails; sinatra; hanami; rspec; laravel; symfony; codeigniter; wordpress;
drupal; gin; fiber; actix, actix web; axum; rocket; tokio; asp.net, asp.net core; .net core, dotnet;
entity framework; blazor; wpf; unreal engine; qt; swiftui; jetpack compose; model context protocol,
fastmcp; opentelemetry collector; robot framework; cucumber; serverless framework
"""

_PATTERNS = """
circuit breaker; saga, saga pattern; cqrs; event sourcing; outbox, transactional outbox, outbox
pattern; inbox pattern; blue-green deployment, blue green deployment, blue-green, blue green; canary
release, canary deployment, canary rollout; rolling deployment, rolling update, rolling restart;
feature flag, feature toggle; dark launch; shadow traffic, traffic shadowing, traffic mirroring;
retry with backoff, exponential backoff, exponential back-off, retry with jitter; idempotency key,
idempotency; rate limiting, rate limiter, rate limit; token bucket; leaky bucket; load shedding;
backpressure, back-pressure, back pressure; bulkhead; timeout budget, deadline propagation; dead
letter queue, dead-letter queue, dlq; poison message, poison pill; competing consumers;
publish-subscribe, publish subscribe, pub/sub; request-reply; event-driven architecture, event
driven architecture; message queue; change data capture, cdc; two-phase commit, two phase commit,
2pc; optimistic locking, optimistic concurrency control, optimistic concurrency; pessimistic
locking; distributed lock, distributed locking; leader election; consensus protocol; write-ahead
log, write ahead log, wal; read replica; write-behind cache, write behind; write-through cache,
write through; cache-aside, cache aside; cache stampede, thundering herd; connection pooling,
connection pool; sharding, database sharding; consistent hashing; materialized view, materialised
view; strangler fig, strangler pattern; anti-corruption layer, anticorruption layer; backend for
frontend, bff; api gateway; service mesh; sidecar, sidecar pattern; ambassador pattern; service
discovery; health check, healthcheck; dependency injection; repository pattern; hexagonal
architecture, ports and adapters; clean architecture; domain-driven design, domain driven design;
microservices, microservice architecture; monorepo; multi-tenancy, multitenancy; failover;
active-active, active active; active-passive, active passive; graceful degradation; graceful
shutdown; chaos engineering; infrastructure as code; gitops; zero trust; least privilege; reciprocal
rank fusion
"""

# Common words too: they count only where capitals or the words around them say so.
_COMMON = """
alembic amplitude apollo arrow astro aurora axios beam boost bootstrap bun caddy chef confluence
consul cypress dask electron ember envoy express fiber flask flink flutter gin go guava hapi helm
hibernate hive honeycomb iceberg ionic jackson jest koa kong lambda loki luigi mocha mongoose nexus
nomad packer pinot playwright poetry prefect presto puppet pyramid rails ray react remix resque
rocket rust salt sentry slack snowflake spanner spark spring squid storm stripe swift tempo temporal
tornado travis trino twisted unleash vagrant varnish vault vite vue xen yarn
"""
# Words after a common word that make it a product: "the envoy proxy", "go services".
_CONTEXT_LIST = """
proxy sidecar cluster clusters broker brokers queue queues framework library app apps application
gateway secrets agent agents job jobs server servers service services component components hook
hooks client pipeline pipelines playbook playbooks recipe recipes manifest manifests chart charts
module modules crate crates binary binaries database table tables plugin plugins config
configuration topic topics task tasks worker workers function functions test tests sdk api code
cookbook minion minions
"""


def _read(table: str, kind: str) -> dict[str, tuple[str, str]]:
    rows = [[" ".join(name.split()) for name in entry.split(",")] for entry in table.split(";")]
    return {name: (row[0], kind) for row in rows for name in row}


# Every spelling in lower case, with the canonical name and the type of what it names.
_LIBRARY = _read(_FRAMEWORKS, "framework") | _read(_DEPENDENCIES, "dependency")
KNOWN: dict[str, tuple[str, str]] = _read(_PATTERNS, "pattern") | _LIBRARY
COMMON_WORDS = frozenset(_COMMON.split())
CONTEXT = frozenset(_CONTEXT_LIST.split())
