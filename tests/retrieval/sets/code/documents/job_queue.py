"""A small job queue on top of SQLite.

Several workers may share one file.  A worker takes a job by writing its own
name and a lease into the row; a job whose lease has run out is given to
somebody else.
"""
import json
import sqlite3
import time

LEASE_SECONDS = 240
HEARTBEAT_SECONDS = 60
MAX_RUNS = 4                # afterwards the state becomes 'buried'
KEEP_DONE_DAYS = 10

SCHEMA = """
create table if not exists job (
    id       integer primary key,
    queue    text not null,
    payload  text not null,
    state    text not null default 'ready',   -- ready, taken, done, buried
    run_at   real not null,
    lease    real,
    worker   text,
    runs     integer not null default 0,
    message  text
);
create index if not exists job_ready on job (queue, state, run_at);
"""


class Queue:
    def __init__(self, path, clock=time.time):
        self.clock = clock
        self.db = sqlite3.connect(path, isolation_level=None, timeout=15)
        self.db.execute("pragma journal_mode = wal")
        self.db.executescript(SCHEMA)

    def put(self, queue, payload, delay=0.0):
        """Add a job; it becomes visible after the delay in seconds."""
        cursor = self.db.execute(
            "insert into job (queue, payload, run_at) values (?, ?, ?)",
            (queue, json.dumps(payload), self.clock() + delay))
        return cursor.lastrowid

    def take(self, queue, worker):
        """Take the oldest job that is due, or return None."""
        now = self.clock()
        row = self.db.execute(
            """update job set state = 'taken', worker = ?, lease = ?, runs = runs + 1
               where id = (select id from job
                           where queue = ? and run_at <= ?
                             and (state = 'ready' or (state = 'taken' and lease < ?))
                           order by run_at limit 1)
               returning id, payload""",
            (worker, now + LEASE_SECONDS, queue, now, now)).fetchone()
        return (row[0], json.loads(row[1])) if row else None

    def heartbeat(self, job_id, worker):
        """Prolong the lease.  Returns False when the job was given away."""
        cursor = self.db.execute(
            "update job set lease = ? where id = ? and worker = ? and state = 'taken'",
            (self.clock() + LEASE_SECONDS, job_id, worker))
        return cursor.rowcount == 1

    def done(self, job_id):
        self.db.execute("update job set state = 'done', lease = null where id = ?", (job_id,))

    def failed(self, job_id, message):
        """Put the job back with a pause of 30 seconds for each run so far."""
        runs, = self.db.execute("select runs from job where id = ?", (job_id,)).fetchone()
        state = "buried" if runs >= MAX_RUNS else "ready"
        self.db.execute("update job set state = ?, run_at = ?, message = ? where id = ?",
                        (state, self.clock() + 30 * runs, message[:500], job_id))

    def tidy(self):
        """Delete finished jobs that are older than the limit."""
        limit = self.clock() - KEEP_DONE_DAYS * 86400
        self.db.execute("delete from job where state = 'done' and run_at < ?", (limit,))
