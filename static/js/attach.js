// Files dropped onto a conversation, or chosen in its composer, are attached to it (templates/chat/attachments.html). While
// they are sent, a line above the composer says how far they are.
const dockOf = (event) => event.target.closest?.("#chat-dock");
const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
const unmark = () => document.querySelectorAll("#chat-dock[data-over]").forEach((dock) => delete dock.dataset.over);

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
  const field = dock && dock.querySelector("#attach");
  if (!field) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  field.files = event.dataTransfer.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}, true);

const isAttaching = (event) => event.detail.elt?.matches?.("[data-attach]");
const lineOf = () => document.querySelector("#chat-attachments [data-sending]");

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!isAttaching(event)) return;
  const line = document.createElement("p");
  line.className = "cl-small cl-soft mb-0";
  line.setAttribute("role", "status");
  line.dataset.sending = "";
  line.textContent = translate("Uploading");
  document.getElementById("chat-attachments")?.append(line);
});
document.addEventListener("htmx:xhr:progress", (event) => {
  const line = isAttaching(event) && lineOf();
  if (!line || !event.detail.lengthComputable) return;
  const { loaded, total } = event.detail;
  line.textContent = loaded < total ? translate("Uploading, %(percent)s %", { percent: Math.round((loaded / total) * 100) }) : translate("Received, being checked");
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (!isAttaching(event)) return;
  lineOf()?.remove();
  document.getElementById("attach").value = "";
});
