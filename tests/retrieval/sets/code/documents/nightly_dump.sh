#!/usr/bin/env bash
# Nightly dump of the shop database to the storage box.
#
# Called by cron at 02:40.  Writes to a temporary name first, so that a dump
# without the suffix .part is always complete.
#
# Exit codes: 0 done, 3 another dump is running, 4 not enough space,
#             5 dump failed, 6 upload failed

set -euo pipefail

DATABASE="${DATABASE:-shop}"
TARGET="${TARGET:-/var/dumps}"
REMOTE="${REMOTE:-box:/dumps/shop}"
KEEP_DAILY=9
KEEP_MONTHLY=14
NEED_FREE_GB=35
LOCK=/run/lock/nightly_dump

log() {
    logger -t nightly_dump "$*"
    echo "$(date -Is) $*"
}

exec 9>"$LOCK"
if ! flock -n 9; then
    log "another dump is running"
    exit 3
fi

free_gb=$(df --output=avail -BG "$TARGET" | tail -1 | tr -dc '0-9')
if [ "$free_gb" -lt "$NEED_FREE_GB" ]; then
    log "only ${free_gb} GB free in $TARGET"
    exit 4
fi

stamp=$(date +%Y-%m-%d)
file="$TARGET/$DATABASE-$stamp.dump"

# The session table is skipped: it is large and worthless after a restore.
if ! pg_dump --format=custom --compress=6 \
        --exclude-table-data=web_session \
        --file="$file.part" "$DATABASE"; then
    rm -f "$file.part"
    log "dump failed"
    exit 5
fi
mv "$file.part" "$file"
sha256sum "$file" > "$file.sha256"

# The first dump of a month is kept under another name.
if [ "$(date +%d)" = "01" ]; then
    ln -f "$file" "$TARGET/$DATABASE-$(date +%Y-%m)-monthly.dump"
fi

prune() {
    # prune PATTERN COUNT: delete all but the newest COUNT files
    ls -1t $1 2>/dev/null | tail -n +"$(($2 + 1))" | while read -r old; do
        log "deleting $old"
        rm -f "$old" "$old.sha256"
    done
}
prune "$TARGET/$DATABASE-????-??-??.dump" "$KEEP_DAILY"
prune "$TARGET/$DATABASE-????-??-monthly.dump" "$KEEP_MONTHLY"

# The upload may use at most 12 megabytes per second.
if ! rsync --bwlimit=12M --partial --delete-after "$TARGET"/ "$REMOTE"/; then
    log "upload failed"
    exit 6
fi
log "done: $file"
