// Toasts and live regions. Others ask by event: document.dispatchEvent(new CustomEvent("clearance:toast",
// {detail: {text, kind: "info" | "success" | "warning" | "error"}})) or "clearance:say" {text} for screen readers alone.
// A server asks with the response header HX-Trigger: {"clearance:toast": {"text": …, "kind": …}}.
const LASTS_MS = 7000;
const UNDO_LASTS_MS = 20000;

function say(text, urgent = false) {
  const region = document.getElementById(urgent ? "live-now" : "live");
  if (!region) return;
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

function leave(toast) {
  if (toast.dataset.kind === "error" || toast.dataset.kind === "warning") return;
  let timer;
  const start = () => { timer = setTimeout(() => toast.remove(), toast.querySelector("form") ? UNDO_LASTS_MS : LASTS_MS); };
  const stay = () => clearTimeout(timer);
  for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, stay);
  for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
  start();
}

// One message stands once: said again, the newer takes the older one's place.
function show({ text, kind = "info" }) {
  for (const shown of document.querySelectorAll("#toasts [data-toast]")) {
    if (shown.dataset.kind === kind && shown.querySelector("p").textContent === text) shown.remove();
  }
  const toast = document.getElementById("toast-template").content.firstElementChild.cloneNode(true);
  toast.dataset.kind = kind;
  toast.querySelector("p").textContent = text;
  document.getElementById("toasts").append(toast);
  say(text, kind === "error");
  leave(toast);
}

function explain(status) {
  if (status === 0) return translate("The server did not answer. Check the connection; what you typed is kept.");
  if (status === 401) return translate("Your session has ended. Sign in again; what you typed is kept.");
  if (status === 403) return translate("None of your roles allows this, or the page is stale: reload it and try again. Nothing was changed.");
  if (status === 404) return translate("It is no longer there, or you may no longer see it.");
  if (status === 413) return translate("That is larger than this server accepts.");
  if (status === 429) return translate("Too many requests. Wait a moment and try again.");
  return translate("Something went wrong on our side, and nothing was saved. Try again; what you typed is kept.");
}

// A part of the page that did not come says so in its own place, with a way to try again; no toast on top of it.
function giveUp(part) {
  if (!part.matches("[data-awaited]")) return false;
  part.removeAttribute("aria-busy");
  part.querySelector(".cl-panel-body").replaceChildren(part.querySelector("template[data-awaited-error]").content.cloneNode(true));
  part.querySelector("[data-retry]").addEventListener("click", (event) => {
    event.preventDefault();
    window.htmx.ajax("GET", part.getAttribute("hx-get"), { source: part, target: part, swap: "outerHTML" });
  });
  return true;
}

document.addEventListener("clearance:toast", (event) => show(event.detail));
document.addEventListener("clearance:say", (event) => say(event.detail.text));
document.addEventListener("click", (event) => event.target.closest("[data-toast-close]")?.closest("[data-toast]")?.remove());
document.addEventListener("htmx:sendError", (event) => {
  if (!event.detail.elt.closest("[data-quiet]") && !giveUp(event.detail.elt)) show({ text: explain(0), kind: "error" });
});
document.addEventListener("htmx:responseError", (event) => {
  const { xhr, elt } = event.detail;
  if (elt.closest("[data-quiet]") || giveUp(elt)) return;
  let text = "";
  try { text = JSON.parse(xhr.responseText).error.detail; } catch { /* not one of our sentences */ }
  show({ text: text || explain(xhr.status), kind: "error" });
});

// A request that ended at the sign-in page is not what the page asked for: say so and leave the page as it is.
document.addEventListener("htmx:beforeSwap", (event) => {
  const signIn = document.body.dataset.signIn;
  const url = event.detail.xhr.responseURL;
  if (signIn && url && new URL(url).pathname === signIn) {
    event.detail.shouldSwap = false;
    show({ text: explain(401), kind: "error" });
  }
});

for (const toast of document.querySelectorAll("#toasts [data-toast]")) {
  say(toast.querySelector("p").textContent, toast.dataset.kind === "error");
  leave(toast);
}
