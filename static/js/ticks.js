// A heartbeat for things that poll (hx-trigger="clearance:tick from:body"); silent while the tab is hidden.
// Every 2 s, and a slow one every 15 s; the slow one also comes when the tab is looked at again. A quick one every 0.5 s
// while a file that is worked on is new on the page: most are done before the next ordinary beat.
const beat = (name) => document.body.dispatchEvent(new CustomEvent(name));
setInterval(() => { if (!document.hidden) tick(); }, 2000);
setInterval(() => { if (!document.hidden) beat("clearance:slow-tick"); }, 15000);
function tick() {
  beat("clearance:tick");
  askRows();
  if (document.querySelector("#batch[data-live]")) askBatch();
}
// Rows of files that are worked on ask for themselves when they hear "clearance:row": a few at a time, those on the screen
// first and those longest not asked, so that five hundred of them are no burden.
const MOST_ROWS = 6;
const asked = new Map();
const onScreen = (row) => { const box = row.getBoundingClientRect(); return box.bottom > 0 && box.top < window.innerHeight; };
function askRows() {
  const live = [...document.querySelectorAll(".cl-file[data-live]")];
  const rank = (row) => (asked.get(row.id) || 0) + (onScreen(row) ? 0 : 1e6) + (row.dataset.state === "pending" ? 4000 : 0);
  for (const row of live.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS)) {
    asked.set(row.id, Date.now());
    row.dispatchEvent(new CustomEvent("clearance:row"));
  }
}
// The panel of a batch asks for itself when it hears "clearance:ask": with every beat while it is live, and when a file
// came in or its row says something else ("clearance:batch"), so that it never says less than the rows below it. What is
// heard while it asks would be lost with the panel that its answer replaces: then it asks once more.
let asking = false;
let again = false;
const isBatch = (event) => event.detail.requestConfig.elt.id === "batch"; // the event itself comes from what holds it now
function askBatch() {
  if (asking) again = true;
  else document.getElementById("batch")?.dispatchEvent(new CustomEvent("clearance:ask"));
}
document.body.addEventListener("clearance:batch", askBatch);
document.addEventListener("htmx:beforeRequest", (event) => { asking ||= isBatch(event); });
document.addEventListener("htmx:afterRequest", (event) => {
  if (!isBatch(event)) return;
  // The panel that has come hears nothing before htmx has settled it.
  setTimeout(() => {
    const more = again;
    asking = again = false;
    if (more) askBatch();
  }, 50);
});
const QUICK_FOR = 20_000;
const MOST_QUICK = 4; // rows: more would be a burden without being watched one by one
let quickUntil = Date.now() + QUICK_FOR;
document.body.addEventListener("clearance:jobs", () => { quickUntil = Date.now() + QUICK_FOR; });
setInterval(() => {
  if (document.hidden || Date.now() > quickUntil) return;
  const rows = document.querySelectorAll(".cl-file[data-live]").length;
  if (rows && rows <= MOST_QUICK) askRows();
}, 500);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    tick();
    beat("clearance:slow-tick");
  }
});

// Say what ended: a file's row that turned ready or failed, and the last job in the top bar.
const END = { ready: "%(file)s is ready", failed: "%(file)s failed", quarantined: "%(file)s was quarantined" };
let jobs = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-file]");
  if (row) row.ownerDocument.defaultView.setTimeout(() => {
    const now = document.getElementById(row.id);
    if (!now || now.dataset.state === row.dataset.state) return;
    beat("clearance:batch");
    if (END[now.dataset.state]) {
      document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text: translate(END[now.dataset.state], { file: now.dataset.file }) } }));
      beat("clearance:jobs");
    }
  }, 50);
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "jobs") return;
  const running = Number(document.querySelector("[data-jobs]")?.dataset.jobs || 0);
  if (jobs > 0 && running === 0) {
    document.dispatchEvent(new CustomEvent("clearance:toast", { detail: { text: translate("Your files have been read."), kind: "success" } }));
  }
  jobs = running;
});
