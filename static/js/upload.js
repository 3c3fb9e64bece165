// Uploads with progress. A form[data-upload] (components/file_drop.html) posts each file alone, so one bad file does not
// stop the others; the row appears at once in data-upload-list and is replaced by the row the server answers (202, HTML).
// Anything else becomes a sentence with the file's name, and "Try again" keeps the file. A few are sent at a time; the others
// wait their turn here. What is dropped together has one batch, whose state stands above the list. Of a folder each file
// is sent with the path at which it stood there, by which links between them are found (`path` of the upload).
const AT_ONCE = 3;
const waiting = [];
let sending = 0;

function enqueue(job) {
  waiting.push(job);
  next();
}

function next() {
  while (sending < AT_ONCE && waiting.length) {
    sending += 1;
    waiting.shift()(() => { sending -= 1; next(); });
  }
  // The batch on the server is only what has arrived there.
  const left = waiting.length + sending;
  for (const line of document.querySelectorAll("[data-upload-left]")) {
    const failed = line.closest("section").querySelectorAll(".cl-file[data-not-sent]").length;
    const words = [];
    if (left > AT_ONCE) words.push(translate("%(count)s files are still to be sent: keep this page open until then.", { count: left }));
    if (failed) words.push(failed === 1 ? translate("One file was not uploaded: its row says why.") : translate("%(count)s files were not uploaded: their rows say why.", { count: failed }));
    line.hidden = !words.length;
    line.textContent = words.join(" ");
  }
}

window.addEventListener("beforeunload", (event) => { if (sending || waiting.length) event.preventDefault(); });

function batchId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const size = (bytes) => {
  if (bytes < 1000) return translate("%(count)s bytes", { count: bytes });
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount >= 10 ? Math.round(amount) : amount.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}\u00a0${["", "kB", "MB", "GB"][power]}`;
};

const slot = (row, name) => row.querySelector(`[data-slot="${name}"]`);

function say(text) {
  document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text } }));
}

function fail(row, { file }, reason) {
  row.dataset.state = "failed";
  row.dataset.notSent = "";
  row.closest("details")?.setAttribute("open", "");
  slot(row, "status").textContent = translate("Not uploaded");
  slot(row, "bar").hidden = true;
  slot(row, "error").hidden = false;
  slot(row, "reason").textContent = `${file.name}: ${reason}`;
  say(`${file.name}: ${reason}`);
  next();
}

function reasonOf(xhr) {
  try { return JSON.parse(xhr.responseText).error.detail; } catch { /* not one of our sentences */ }
  if (xhr.status === 413) return translate("it is larger than this server accepts.");
  if (xhr.status === 403) return translate("none of your roles may upload here.");
  if (xhr.status === 404) return translate("the record is no longer there, or you may no longer see it.");
  return translate("something went wrong on our side. The file was not kept.");
}

function queue(form, row, given, batch) {
  row.dataset.state = "queued";
  delete row.dataset.notSent;
  slot(row, "status").textContent = translate("Waiting to be sent");
  slot(row, "bar").hidden = true;
  slot(row, "error").hidden = true;
  enqueue((done) => {
    if (row.isConnected) send(form, row, given, batch, done);
    else done();
  });
}

function send(form, row, given, batch, done) {
  const { file, path } = given;
  const limit = Number(form.dataset.maxBytes || 0);
  row.dataset.state = "uploading";
  slot(row, "status").textContent = translate("Uploading");
  slot(row, "bar").hidden = false;
  slot(row, "error").hidden = true;
  const reason = limit && file.size > limit ? translate("it has %(size)s, and files may have up to %(limit)s.", { size: size(file.size), limit: size(limit) }) : file.size === 0 ? translate("it is empty.") : "";
  if (reason) { fail(row, given, reason); return done(); }

  const data = new FormData(form);
  data.delete("file");
  data.append("file", file);
  if (path) data.append("path", path);
  // An address is that of the folder that was chosen, in which all paths of a drop begin.
  if (path && data.get("address")) data.append("address_folder", `/${path.split("/")[0]}`);
  else data.delete("address");
  if (batch) data.append("batch", batch);
  const xhr = new XMLHttpRequest();
  const bar = row.querySelector("progress");
  xhr.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = (event.loaded / event.total) * 100;
    slot(row, "status").textContent = event.loaded < event.total ? translate("Uploading, %(percent)s %", { percent: Math.round(bar.value) }) : translate("Received, being checked");
  });
  xhr.addEventListener("load", () => {
    const signIn = document.body.dataset.signIn;
    if (signIn && new URL(xhr.responseURL).pathname === signIn) return fail(row, given, translate("your session has ended. Sign in again and repeat."));
    if (xhr.status < 200 || xhr.status > 299) return fail(row, given, reasonOf(xhr));
    const made = document.createElement("template");
    made.innerHTML = xhr.responseText.trim();
    const fresh = made.content.querySelector("[data-file]");
    if (!fresh) return fail(row, given, translate("the server gave an answer this page does not understand. Reload to see whether it arrived."));
    document.getElementById(fresh.id)?.remove();
    row.replaceWith(fresh);
    window.htmx?.process(fresh);
    document.body.dispatchEvent(new CustomEvent("clearance:jobs"));
    if (batch) document.body.dispatchEvent(new CustomEvent("clearance:batch"));
  });
  xhr.addEventListener("loadend", done);
  xhr.addEventListener("error", () => fail(row, given, translate("the connection was lost before it arrived.")));
  xhr.addEventListener("timeout", () => fail(row, given, translate("the server took too long to answer.")));
  xhr.open("POST", form.action);
  xhr.setRequestHeader("HX-Request", "true");
  xhr.setRequestHeader("Accept", "text/html, application/json");
  xhr.send(data);
}

// The number beside "Files" is that of the rows below it.
function count(list) {
  const badge = list?.id && document.querySelector(`[data-count-of="#${list.id}"]`);
  if (!badge) return;
  badge.textContent = list.querySelectorAll(".cl-file").length;
  badge.hidden = badge.textContent === "0";
}

// Many files at once are one line that opens; the bar above tells how far they are.
const FOLDED = 8;

function fold(rows, number) {
  const [line, details, summary, inner] = ["li", "details", "summary", "ul"].map((name) => document.createElement(name));
  line.className = "cl-file-group";
  inner.className = "cl-files";
  summary.textContent = translate("%(count)s files of this upload", { count: number });
  inner.append(rows);
  details.append(summary, inner);
  line.append(details);
  return line;
}

// given: [{file, path}], path being "" for a file that was taken alone.
function take(form, given) {
  if (!given.length) return;
  const list = document.querySelector(form.dataset.uploadList);
  const batch = given.length > 1 ? batchId() : "";
  const rows = document.createDocumentFragment();
  const dropped = [];
  for (const one of given) {
    const row = form.querySelector("template[data-upload-row]").content.firstElementChild.cloneNode(true);
    const folders = one.path.split("/").slice(0, -1);
    slot(row, "folder").textContent = folders.map((folder) => `${folder} › `).join("");
    slot(row, "name").textContent = one.file.name;
    slot(row, "size").textContent = size(one.file.size);
    row.querySelector("[data-upload-retry]").addEventListener("click", () => queue(form, row, one, batch));
    row.querySelector("[data-upload-dismiss]").addEventListener("click", () => { row.remove(); count(list); next(); });
    list.querySelector("[data-empty]")?.remove();
    rows.append(row);
    dropped.push(() => queue(form, row, one, batch));
  }
  list.prepend(given.length > FOLDED ? fold(rows, given.length) : rows);
  count(list);
  dropped.forEach((start) => start());
}

// What came in a file that is ready now: its rows follow it, in place of those that are there already.
document.addEventListener("htmx:afterSettle", () => {
  for (const came of document.querySelectorAll("template[data-came]")) {
    let last = came.previousElementSibling;
    for (const row of [...came.content.querySelectorAll("[data-file]")]) {
      const there = document.getElementById(row.id);
      if (there) there.replaceWith(row);
      else last.after(row);
      last = row;
      window.htmx?.process(row);
    }
    count(came.parentElement.closest("ul[id]"));
    came.remove();
  }
});

// Folders. What systems and programs keep in them for themselves stays out.
const OWN = /(^|\/)(\.[^/]+|__MACOSX|Thumbs\.db|desktop\.ini)(\/|$)/i;

function takeFolders(form, found, unreadable = 0) {
  const kept = found.filter(({ path }) => !OWN.test(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  const left = found.length - kept.length;
  const told = [];
  if (!kept.length) told.push(translate("There is no file in this folder that could be read."));
  else if (left) told.push(left === 1 ? translate("1 hidden file was left out.") : translate("%(count)s hidden files were left out.", { count: left }));
  if (unreadable) told.push(translate("%(count)s could not be opened on this device.", { count: unreadable }));
  if (told.length) document.dispatchEvent(new CustomEvent("clearance:toast", { detail: { text: told.join(" "), kind: kept.length && !unreadable ? "info" : "warning" } }));
  take(form, kept);
}

// All files under what was dropped. A folder gives its entries a hundred at a time, and none when it has given all.
async function walk(entries) {
  const found = [];
  let unreadable = 0;
  const look = async (entry) => {
    try {
      if (entry.isFile) found.push({ file: await new Promise((done, failed) => entry.file(done, failed)), path: entry.fullPath.slice(1) });
      else {
        const reader = entry.createReader();
        for (let some; !some || some.length;) {
          some = await new Promise((done, failed) => reader.readEntries(done, failed));
          for (const one of some) await look(one);
        }
      }
    } catch { unreadable += 1; }
  };
  for (const entry of entries) await look(entry);
  return { found, unreadable };
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (!form || event.target.type !== "file") return;
  const given = [...event.target.files].map((file) => ({ file, path: file.webkitRelativePath || "" }));
  if (event.target.webkitdirectory) takeFolders(form, given);
  else take(form, given);
  event.target.value = "";
});

// A drop anywhere on the page goes to its first drop zone; a drop on a zone goes there.
const zoneOf = (event) => event.target.closest?.("form[data-upload]") || document.querySelector("form[data-upload]");
const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
const unmark = () => document.querySelectorAll("form[data-upload][data-over]").forEach((form) => delete form.dataset.over);

document.addEventListener("dragover", (event) => {
  const form = carriesFiles(event) && zoneOf(event);
  if (!form) return;
  event.preventDefault();
  if (!("over" in form.dataset)) {
    unmark();
    form.dataset.over = "";
  }
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) unmark(); });
document.addEventListener("drop", (event) => {
  const form = carriesFiles(event) && zoneOf(event);
  unmark();
  if (!form) return;
  event.preventDefault();
  // Both are gone when this returns.
  const files = [...event.dataTransfer.files].map((file) => ({ file, path: "" }));
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) {
    take(form, files);
    return;
  }
  const alone = new Set(entries.filter((entry) => entry.isFile).map((entry) => entry.name));
  walk(entries).then(({ found, unreadable }) => {
    // A file that was dropped beside a folder stood nowhere.
    takeFolders(form, found.map(({ file, path }) => ({ file, path: alone.has(path) ? "" : path })), unreadable);
  });
});
