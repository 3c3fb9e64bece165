// Uploads with progress. A form[data-upload] (components/file_drop.html) posts each file alone, so one bad file does not
// stop the others; the row appears at once in data-upload-list and is replaced by the row the server answers (202, HTML).
// Anything else becomes a sentence with the file's name, and "Try again" keeps the file.
const size = (bytes) => {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount >= 10 ? Math.round(amount) : amount.toFixed(1)}\u00a0${["", "kB", "MB", "GB"][power]}`;
};

const slot = (row, name) => row.querySelector(`[data-slot="${name}"]`);

function fail(row, file, reason) {
  row.dataset.state = "failed";
  slot(row, "status").textContent = "Not uploaded";
  slot(row, "bar").hidden = true;
  slot(row, "error").hidden = false;
  slot(row, "reason").textContent = `${file.name}: ${reason}`;
  document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text: `${file.name}: ${reason}` } }));
}

function reasonOf(xhr) {
  try { return JSON.parse(xhr.responseText).error.detail; } catch { /* not one of our sentences */ }
  if (xhr.status === 413) return "it is larger than this server takes.";
  if (xhr.status === 403) return "none of your roles may upload here.";
  if (xhr.status === 404) return "the record is no longer there, or you may no longer see it.";
  return "something broke on our side. The file was not kept.";
}

function send(form, row, file) {
  const limit = Number(form.dataset.maxBytes || 0);
  row.dataset.state = "uploading";
  slot(row, "status").textContent = "Uploading";
  slot(row, "bar").hidden = false;
  slot(row, "error").hidden = true;
  if (limit && file.size > limit) return fail(row, file, `it has ${size(file.size)}, and files may have up to ${size(limit)}.`);
  if (file.size === 0) return fail(row, file, "it is empty.");

  const data = new FormData(form);
  data.delete("file");
  data.append("file", file);
  const xhr = new XMLHttpRequest();
  const bar = row.querySelector("progress");
  xhr.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = (event.loaded / event.total) * 100;
    slot(row, "status").textContent = event.loaded < event.total ? `Uploading, ${Math.round(bar.value)} %` : "Taken in, being checked";
  });
  xhr.addEventListener("load", () => {
    const signIn = document.body.dataset.signIn;
    if (signIn && new URL(xhr.responseURL).pathname === signIn) return fail(row, file, "your session has ended. Sign in again and repeat.");
    if (xhr.status < 200 || xhr.status > 299) return fail(row, file, reasonOf(xhr));
    const made = document.createElement("template");
    made.innerHTML = xhr.responseText.trim();
    const fresh = made.content.querySelector("[data-file]");
    if (!fresh) return fail(row, file, "the server gave an answer this page does not understand. Reload to see whether it arrived.");
    document.getElementById(fresh.id)?.remove();
    row.replaceWith(fresh);
    window.htmx?.process(fresh);
    document.body.dispatchEvent(new CustomEvent("clearance:jobs"));
  });
  xhr.addEventListener("error", () => fail(row, file, "the connection was lost before it arrived."));
  xhr.addEventListener("timeout", () => fail(row, file, "the server took too long to answer."));
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

function take(form, files) {
  const list = document.querySelector(form.dataset.uploadList);
  for (const file of files) {
    const row = form.querySelector("template[data-upload-row]").content.firstElementChild.cloneNode(true);
    slot(row, "name").textContent = file.name;
    slot(row, "size").textContent = size(file.size);
    row.querySelector("[data-upload-retry]").addEventListener("click", () => send(form, row, file));
    row.querySelector("[data-upload-dismiss]").addEventListener("click", () => { row.remove(); count(list); });
    list.querySelector("[data-empty]")?.remove();
    list.prepend(row);
    count(list);
    send(form, row, file);
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (!form || event.target.type !== "file") return;
  take(form, [...event.target.files]);
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
  take(form, [...event.dataTransfer.files]);
});
