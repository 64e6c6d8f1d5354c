#!/usr/bin/env bash
# The main job, end to end: take in the golden corpus, ask, see the sources, go on from there.
set -euo pipefail
cd "$(dirname "$0")/.."

# Nothing that is set for the user's own memory reaches the demo's.
for variable in "${!KNOWWHY_@}" "${!PIXELTABLE_@}"; do
    [[ $variable == PIXELTABLE_HOME ]] || unset "$variable"
done

run() {
    printf '\n$ knowwhy'
    for word in "$@"; do
        if [[ $word == *' '* ]]; then printf " '%s'" "$word"; else printf ' %s' "$word"; fi
    done
    printf '\n'
    python -m knowwhy "$@"  # a script's first line holds no path with a space
}

run init
run ingest adr golden/corpus/adr
run ingest incident golden/corpus/incidents
run ingest meeting golden/corpus/meetings
run ingest document golden/corpus/docs
run ingest code golden/corpus/code
run ingest conversation golden/corpus/conversations
run search 'Why did we move from RabbitMQ to Kafka?' --k 2
run search 'How long is an access token valid?' --k 2
run search 'Has an expired certificate hit us before?' --k 2 --kind incident
run search 'What is our logging convention?' --k 2
run status

cat <<END

This memory is in $PIXELTABLE_HOME; your own will be in ~/.pixeltable. To begin it:

    .venv/bin/knowwhy ingest adr PATH/TO/YOUR/DECISIONS
    .venv/bin/knowwhy search 'Why did we …?'
END
