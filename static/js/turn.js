// A turn while it runs (components/live_turn.html): tails its events, shows the step at work and the text as it comes, and
// when the turn ends asks the server for the finished message, with chips and sanitised Markdown, and puts it in its place.
// Events are server-sent, each with an id and JSON data: "step" {text}, "token" {text}; "approval", "done", "stopped" and
// "error" end the turn here. Others are ignored. A lost connection is taken up again after the last id (?after=).
const ENDS = ["approval", "done", "stopped", "error"];
const SPOKEN = { done: "The answer is ready.", approval: "Your approval is needed.", stopped: "Stopped.", error: "The answer failed." };
const MARKER = /\s?\[[a-z]{0,8}(?::[0-9a-f]{0,9})?$|\s?\[(?:citation:\d+|src:[0-9a-f]{8})\]/g;
const WAITS_MS = [500, 1000, 2000, 4000, 8000];

// Event sources do not say what the server answered.
async function statusOf(url) {
  const stop = new AbortController();
  try { return (await fetch(url, { signal: stop.signal })).status; } catch { return 0; } finally { stop.abort(); }
}

// Steps are written in English: a sentence, one with a number, or a verb with what it is about.
function describe(step) {
  const count = step.match(/\d+/)?.[0];
  const known = count ? translate(step.replace(count, "%(count)s"), { count }) : translate(step);
  return known === step ? step.replace(/^[A-Z][a-z]+(?=: )/, (verb) => translate(verb)) : known;
}

function run(turn) {
  const line = turn.querySelector("[data-turn-line]");
  const text = turn.querySelector("[data-turn-text]");
  const work = turn.querySelector("[data-turn-work]");
  let last = turn.dataset.after || "";
  let written = "";
  let failures = 0;
  let source;

  const finish = (event) => {
    source.close();
    turn.removeAttribute("aria-busy");
    document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text: translate(SPOKEN[event.type]) } }));
    window.htmx.ajax("GET", turn.dataset.final, { source: turn, target: turn, swap: "outerHTML" });
  };
  const read = (event) => {
    failures = 0;
    if (event.lastEventId) last = event.lastEventId;
    try { return JSON.parse(event.data); } catch { return {}; }
  };
  const connect = () => {
    const url = new URL(turn.dataset.events, location.href);
    if (last) url.searchParams.set("after", last);
    source = new EventSource(url);
    source.addEventListener("step", (event) => {
      const step = describe(read(event).text ?? "");
      if (!step) return;
      line.textContent = step;
      const item = document.createElement("li");
      item.textContent = step;
      work.querySelector("ol").append(item);
      work.hidden = false;
    });
    source.addEventListener("token", (event) => {
      written += read(event).text ?? "";
      text.textContent = written.replace(MARKER, "");
      line.textContent = translate("Writing");
    });
    for (const name of ENDS) source.addEventListener(name, (event) => {
      if (!(event instanceof MessageEvent)) return; // the connection's own "error" has no data
      read(event);
      finish(event);
    });
    source.onerror = async (event) => {
      if (event instanceof MessageEvent || !turn.isConnected) return;
      const refused = source.readyState === EventSource.CLOSED; // there was an answer, and it was no stream
      source.close();
      if (refused && await statusOf(url) === 401) line.textContent = translate("You are signed out. The answer goes on: sign in again to see it.");
      else if (failures < WAITS_MS.length) {
        line.textContent = translate("Connection lost, trying again");
        setTimeout(() => { if (turn.isConnected) connect(); }, WAITS_MS[failures]);
        failures += 1;
      } else line.textContent = translate("The connection was lost. The answer goes on: reload to see it.");
    };
  };
  connect();
  turn.addEventListener("htmx:beforeCleanupElement", () => source.close());
}

const running = new WeakSet();
function look() {
  for (const turn of document.querySelectorAll("[data-turn]")) {
    if (running.has(turn)) continue;
    running.add(turn);
    run(turn);
  }
}
look();
document.addEventListener("htmx:load", look);
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
