// Files dropped onto a conversation, or chosen in its composer, are attached to it, one request after the other
// (templates/chat/attachments.html). While they are sent, a line above the composer says how far they are.
const waiting = [];
let sending = null; // {file, talk}

const dockOf = (event) => event.target.closest?.("#chat-dock");
const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
const unmark = () => document.querySelectorAll("#chat-dock[data-over]").forEach((dock) => delete dock.dataset.over);
const formOf = () => document.querySelector("form[data-attach]");
const sessionOf = () => document.querySelector("#chat-keys [name=session]")?.value ?? "";

// talk: what files that are dropped onto one conversation have in common; the first of them may begin it.
function take(files) {
  if (!sending) document.getElementById("chat-attach-problems")?.replaceChildren();
  const [session, url] = [sessionOf(), formOf().dataset.attach];
  const before = [sending, ...waiting].find((one) => one?.talk.url === url && one.talk.session === session);
  const talk = before?.talk ?? { session, url };
  waiting.push(...[...files].map((file) => ({ file, talk })));
  if (!sending) next();
}

async function next() {
  while (waiting.length) {
    sending = waiting.shift();
    const { file, talk } = sending;
    say(translate("Uploading"));
    try {
      const values = { file, session: talk.session };
      await window.htmx.ajax("POST", talk.url, { source: formOf() ?? document.body, target: "#chat-attachments", swap: "outerHTML", values });
    } catch { /* notify.js says what was wrong */ }
    document.querySelector("#chat-attachments [data-sending]")?.remove();
    sending = null;
    if (!waiting.length || waiting[0].talk.session) letGo();
  }
}

// A question that is sent while the first file begins the conversation is asked in it, and not in one of its own.
let ask = null;

function letGo() {
  ask?.();
  ask = null;
}

document.addEventListener("htmx:confirm", (event) => {
  if (!event.detail.elt.matches?.("[data-composer]") || !sending || sending.talk.session) return;
  event.preventDefault();
  ask = () => event.detail.issueRequest(true);
});

// Who has opened another conversation meanwhile finds the file in the one that it was dropped onto.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!sending || event.detail.pathInfo?.requestPath !== sending.talk.url) return;
  if (sessionOf() !== sending.talk.session) event.detail.shouldSwap = false;
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (sending && event.detail.pathInfo?.requestPath === sending.talk.url) sending.talk.session ||= sessionOf();
});

function say(text) {
  const place = document.getElementById("chat-attachments");
  if (!place || !sending) return;
  let line = place.querySelector("[data-sending]");
  if (!line) {
    line = document.createElement("p");
    line.className = "cl-small cl-soft mb-0";
    line.setAttribute("role", "status");
    line.dataset.sending = "";
    place.append(line);
  }
  line.textContent = `${sending.file.name}: ${text}`;
}

document.addEventListener("htmx:xhr:progress", (event) => {
  const { elt, lengthComputable, loaded, total } = event.detail;
  if (!elt?.matches?.("[data-attach]") || !lengthComputable) return;
  say(loaded < total ? translate("Uploading, %(percent)s %", { percent: Math.round((loaded / total) * 100) }) : translate("Received, being checked"));
});
window.addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });

document.addEventListener("change", (event) => {
  if (event.target.id !== "attach") return;
  const files = [...event.target.files];
  event.target.value = "";  // the same file may be chosen again, and is sent from here
  take(files);
});
// Before upload.js, to which a drop elsewhere on the page belongs.
document.addEventListener("dragover", (event) => {
  const dock = carriesFiles(event) && dockOf(event);
  if (!dock) return unmark();
  event.preventDefault();
  event.stopImmediatePropagation();
  dock.dataset.over = "";
}, true);
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) unmark(); });
document.addEventListener("drop", (event) => {
  const dock = carriesFiles(event) && dockOf(event);
  unmark();
  if (!dock || !formOf()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  take(event.dataTransfer.files);
}, true);
