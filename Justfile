# Every recipe is plain commands, so that `just` is a convenience and never a need.

# List the recipes.
default:
    @just --list

# The main job: collect, analyse, report the built-in study.
quickstart:
    go run . run experiments/quickstart.toml

# The nightly benchmark: build, run, verify, compare with the accepted run; infnet's own exit code (docs/nightly.md). Arguments go to infnet run.
bench *args:
    .ci/bench {{args}}

# Does a year of nights keep its level, and how soon is a drop found? 1,000 histories of each kind. Do tests of costs, where few are large? Ten minutes or more.
nights:
    go test ./harness/nights -count 1 -timeout 120m -run 'NullHistories' -v -histories 1000 -record
    go test ./harness/nights -count 1 -run RecordedLevel
    go test ./harness/compare -count 1 -timeout 60m -run 'RareLarge|EquallyGood' -v -draws 2000

# Does "worth it" keep its level, and is a cascade that is worth it found? 500 studies of each law; about half an hour.
verdicts:
    go test ./harness/fitting -count 1 -timeout 120m -run 'Verdicts|Sentences' -v -draws 500 -record

# Do the intervals cover where events, clusters or classes are few? 600 samples of each law, into metrics/infer/testdata/coverage.csv; minutes.
coverage:
    go test ./metrics/infer -count 1 -timeout 60m -run 'TestIntervalsCover$' -draws 600 -record

# Are calls lost to servers with limits, and how fast do they come? 288 simulated servers and clients; minutes.
limits:
    go test ./backends/openai -count 1 -run 'LimitedServers' -v -limits

# The quickstart on arm64 under qemu-user: every file but run.json has the bytes that it has here. Minutes.
arm64:
    GOARCH=arm64 CGO_ENABLED=0 go build -gcflags=all=-d=fmahash=n -o /tmp/infnet-arm64 . 2>/dev/null
    go run . run quickstart --store /tmp/infnet-arm64.answers --out /tmp/infnet-amd64.run --quiet
    qemu-aarch64 /tmp/infnet-arm64 run quickstart --store /tmp/infnet-arm64.answers --out /tmp/infnet-arm64.run --offline --quiet
    diff -r --exclude run.json /tmp/infnet-amd64.run /tmp/infnet-arm64.run

# All tests.
test:
    go test ./...

# Real servers: Ollama, llama.cpp and vLLM, each where its programs are on the PATH, by hand, the last two started by a study too (or vLLM where INFNET_VLLM says, transformers serve where INFNET_TRANSFORMERS says), serve the quickstart's models, compared with backends/local.
test-servers:
    go test ./backends/openai ./harness/cli -count 1 -timeout 60m -run 'Ollama|LlamaServer|VLLM|Recordings' -v

# What a machine can check: formatting, vet, staticcheck, every spec.
check:
    go vet ./... && go tool -modfile=.ci/tools/go.mod staticcheck ./... && go run . check experiments/quickstart.toml

# Speed: the engine, the policies, the statistics.
perf:
    go test -run '^$' -bench . -benchtime 1s ./backends/local ./backends/runtime/... ./backends/encoder ./harness/policy ./metrics/... ./sufficiency/...

# Do guaranteed policies keep their promises? 2,000 repetitions at four sizes; minutes.
guarantees:
    go test ./harness/policy/guarantee -count 1 -timeout 60m -run "GuaranteesHold|ConformalRiskHolds" -v -repetitions 2000

# Operators of arithmetic and reading swapped at random: which do the tests of their package find?
faults:
    go test . -run PlantedFaults -faults 50 -v -timeout 60m

# Every simulation whole, one after the other: hours. By default the tests draw a tenth of them, or less.
validity: nights verdicts coverage limits guarantees sufficiency
    go test ./harness/policy -count 1 -run Sentences -v -studies 500
    go test ./harness/split -count 1 -run ErrorDrift -splits 2000 -record

# Does the sufficiency test keep its level, and what does it find? Up to 200 studies a row, an hour of processor time. Stopped, it goes on where it was.
sufficiency:
    -go test ./sufficiency -count 1 -timeout 600m -run 'TestValidity$' -v -studies 200 -stream held-out -record
