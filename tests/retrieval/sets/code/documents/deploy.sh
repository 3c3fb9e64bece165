#!/usr/bin/env bash
# Roll out a new version of the shop to the web servers, one after another.
#
# Usage: deploy.sh VERSION [--skip-smoke]
#
# A server is taken out of the balancer, updated, tested and put back.  If the
# smoke test fails on one server, that server goes back to its former version
# and the roll-out stops; servers already updated keep the new version.

set -euo pipefail

VERSION="${1:?version missing}"
SKIP_SMOKE="${2:-}"
SERVERS=(web-11 web-12 web-14)
DRAIN_SECONDS=45
SMOKE_TRIES=10
SMOKE_PAUSE=3
RELEASES_KEPT=4
BALANCER=http://balancer.internal:7070

freeze_file=/etc/shop/deploy.freeze
if [ -e "$freeze_file" ]; then
    echo "roll-out is frozen: $(cat "$freeze_file")" >&2
    exit 9
fi

# No roll-outs on Friday after 14 o'clock.
if [ "$(date +%u)" = 5 ] && [ "$(date +%H)" -ge 14 ]; then
    echo "not on Friday afternoon" >&2
    exit 10
fi

balancer() {
    curl -fsS -X POST "$BALANCER/pool/$1/$2" > /dev/null
}

smoke() {
    local server=$1 try
    [ "$SKIP_SMOKE" = "--skip-smoke" ] && return 0
    for try in $(seq "$SMOKE_TRIES"); do
        if curl -fsS --max-time 4 "http://$server:8080/healthz" | grep -q "\"version\":\"$VERSION\""; then
            return 0
        fi
        sleep "$SMOKE_PAUSE"
    done
    return 1
}

for server in "${SERVERS[@]}"; do
    echo "== $server"
    former=$(ssh "$server" readlink /srv/shop/current)
    balancer "$server" drain
    sleep "$DRAIN_SECONDS"
    ssh "$server" "sudo shop-install $VERSION && sudo systemctl restart shop"
    if ! smoke "$server"; then
        echo "smoke test failed on $server, going back to $former" >&2
        ssh "$server" "sudo ln -sfn $former /srv/shop/current && sudo systemctl restart shop"
        balancer "$server" enable
        exit 1
    fi
    balancer "$server" enable
    ssh "$server" "ls -1dt /srv/shop/releases/* | tail -n +$((RELEASES_KEPT + 1)) | xargs -r rm -rf"
done
echo "version $VERSION is live"
