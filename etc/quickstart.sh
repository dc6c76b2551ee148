#!/usr/bin/env bash
# Starts Sluice on 127.0.0.1:5335 with the starter lists, proves that it filters, serves until
# Ctrl-C. All that it writes is in .run/ of the checkout.
#
# Usage: etc/quickstart.sh DIRECTORY-OF-PROGRAMS      UPSTREAM=ADDR:PORT: ask that server
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
programs=$(cd "${1:-.build/release}" && pwd)
address=127.0.0.1
port=5335
blocked=doubleclick.net
allowed=example.com
run=$PWD/.run
config=$run/sluice.yaml
log=$run/sluiced.log
daemon=

stop() {
    trap '' INT TERM
    if [[ -n $daemon ]] && kill -TERM "$daemon" 2>/dev/null; then
        wait "$daemon" || true
        printf '\nSluice stopped.\n'
    fi
    exit 0
}
trap stop INT TERM
trap '[[ -z $daemon ]] || kill -TERM "$daemon" 2>/dev/null || true' EXIT

# TEXT as a single-quoted scalar of YAML.
quoted() { printf "'%s'" "${1//\'/\'\'}"; }

write_config() {
    local lists=$PWD/etc/lists socket=$run/control.sock server
    # A Unix socket's path holds 107 octets; a deep checkout gets a short one elsewhere.
    if ((${#socket} > 100)); then socket=$(mktemp -d)/control.sock; fi
    mkdir -p "$run"
    {
        echo "# Written anew by each \`make run\`."
        echo "listen: [\"$address:$port\"]"
        echo "allow-clients: [127.0.0.0/8]"
        if [[ -n ${UPSTREAM:-} ]]; then
            echo "upstreams:"
            for server in ${UPSTREAM//,/ }; do echo "  - $(quoted "$server")"; done
        fi
        echo "lists:"
        echo "  ads:      { file: $(quoted "$lists/ads.txt"), format: adblock }"
        echo "  tracking: { file: $(quoted "$lists/tracking.txt"), format: hosts }"
        echo "  malware:  { file: $(quoted "$lists/malware-test.txt"), format: domains }"
        echo "  allowed:  { file: $(quoted "$lists/allow.txt"), format: domains, action: allow }"
        echo "state-directory: $(quoted "$run/state")"
        echo "control-socket: $(quoted "$socket")"
    } >"$config"
    mkdir -p "$run/state"
}

# Asks Sluice for NAME; the whole text of dig, empty when nothing answers within 6 s.
ask() { dig "@$address" -p "$port" +tries=1 +time=6 +noall +comments +answer "$1" A || true; }

# Of dig's text: the response code, and the extended error with the list that it names.
status() { sed -n 's/^.*, status: \([A-Z]*\),.*$/\1/p' | head -n 1; }
extended_error() { sed -n 's/^; EDE: *\(.*\)$/EDE \1/p' | head -n 1; }

line() { printf '  %-9s %-18s %s\n' "$1" "$2" "$3"; }

# Waits until the daemon answers, at most 10 s. When it ended instead (a port in use, a bad
# configuration) its own message says why: that is passed on.
await_answer() {
    local tries
    for ((tries = 0; tries < 100; tries += 1)); do
        sleep 0.1
        if ! kill -0 "$daemon" 2>/dev/null; then
            local code=0
            wait "$daemon" || code=$?
            daemon=
            cat "$log" >&2
            exit $((code == 0 ? 3 : code))
        fi
        if dig "@$address" -p "$port" +tries=1 +time=1 +short "$blocked" >/dev/null 2>&1; then
            # Whoever holds the port may have answered; ours is then about to end.
            sleep 0.2
            kill -0 "$daemon" 2>/dev/null && return 0
        fi
    done
    cat "$log" >&2
    echo "sluiced did not answer on $address:$port within 10 s" >&2
    exit 3
}

prove() {
    local text code
    echo
    echo "Sluice answers on $address, port $port (UDP and TCP)."
    text=$(ask "$blocked")
    line blocked "$blocked" "$(status <<<"$text")  $(extended_error <<<"$text")"
    # `explain` says with exit 1 that the name is blocked.
    text=$("$programs/sluice" explain --config "$config" "$blocked") || true
    while read -r row; do line "" "" "$row"; done < <(sed '/^$/d' <<<"$text" | head -n 4)
    text=$(ask "$allowed")
    code=$(status <<<"$text")
    case $code in
    NOERROR | NXDOMAIN) line allowed "$allowed" "$code  forwarded" ;;
    "" | SERVFAIL) line allowed "$allowed" "no upstream reachable; blocked names still work" ;;
    *) line allowed "$allowed" "$code  as the upstream answered" ;;
    esac
    echo
    echo "Try:  dig @$address -p $port $blocked"
    echo "Log:  .run/sluiced.log    Configuration: .run/sluice.yaml    Ctrl-C stops Sluice."
}

write_config
"$programs/sluice" compile --config "$config"
# The daemon gets its own process group, so Ctrl-C reaches this script alone, and the daemon is
# told once, by its id.
set -m
"$programs/sluiced" --config "$config" >"$log" 2>&1 &
daemon=$!
set +m
await_answer
prove

# A signal ends `wait` and runs `stop`; an end of the daemon by itself is told, not hidden.
code=0
wait "$daemon" || code=$?
daemon=
cat "$log" >&2
echo "sluiced ended by itself with exit code $code" >&2
exit 3
