// Citation chips: hover opens a preview after 80 ms and closes it 120 ms after leaving, one at a time; focus opens it too,
// Esc closes it, a touch opens a drawer. [ and ] step through all citations of the page, opening groups on the way.
const OPEN_MS = 80;
const CLOSE_MS = 120;
const card = Object.assign(document.createElement("div"), { className: "cl-preview", id: "citation-preview" });
card.popover = "manual";
card.setAttribute("role", "region");
card.setAttribute("aria-label", translate("Preview of the source"));
document.body.append(card);

const fetched = new Map();
let chip = null;
let opening = 0;
let closing = 0;

const chipOf = (event) => event.target.closest?.("a.cl-cite[data-preview-url]");

async function preview(url) {
  const known = fetched.get(url);
  if (known && Date.now() - known.at < 30000) return known.html;
  const response = await fetch(url, { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
  const signIn = document.body.dataset.signIn;
  if (response.status === 404 || response.status === 403 || response.status === 410) return "<p class=\"mb-0\">This source is no longer available to you.</p>";
  if (!response.ok || (signIn && new URL(response.url).pathname === signIn)) return "<p class=\"mb-0\">The preview could not be loaded. The link still opens the source.</p>";
  const html = await response.text();
  fetched.set(url, { html, at: Date.now() });
  return html;
}

function place(anchor) {
  const box = anchor.getClientRects()[0] || anchor.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const below = box.bottom + 6 + height <= innerHeight;
  card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  card.style.top = `${below ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
}

async function fill(target, anchor) {
  target.innerHTML = "<div class=\"cl-skeleton\" role=\"status\"><span class=\"visually-hidden\">Loading</span><span></span><span></span><span></span></div>";
  let html;
  try { html = await preview(anchor.dataset.previewUrl); } catch { html = "<p class=\"mb-0\">The server did not answer. The link still opens the source.</p>"; }
  return html;
}

async function open(anchor) {
  clearTimeout(closing);
  if (chip === anchor) return;
  close();
  chip = anchor;
  chip.dataset.open = "";
  card.showPopover();
  place(anchor);
  const html = await fill(card, anchor);
  if (chip !== anchor) return;
  card.innerHTML = html;
  place(anchor);
}

function close() {
  clearTimeout(opening);
  clearTimeout(closing);
  if (!chip) return;
  delete chip.dataset.open;
  chip = null;
  card.hidePopover();
}

const closeSoon = () => {
  clearTimeout(opening);
  clearTimeout(closing);
  closing = setTimeout(close, CLOSE_MS);
};

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const anchor = chipOf(event);
  if (anchor) {
    clearTimeout(closing);
    clearTimeout(opening);
    opening = setTimeout(() => open(anchor), OPEN_MS);
  } else if (card.contains(event.target)) clearTimeout(closing);
});
document.addEventListener("pointerout", (event) => {
  if (event.pointerType === "touch") return;
  if (chipOf(event) || card.contains(event.target)) closeSoon();
});
document.addEventListener("focusin", (event) => {
  const anchor = chipOf(event);
  if (anchor && anchor.matches(":focus-visible")) open(anchor);
  else if (chip && !card.contains(event.target) && event.target !== chip) close();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
addEventListener("scroll", () => { if (chip && !card.matches(":hover")) close(); }, { passive: true, capture: true });

// Groups: "+2" shows the others in place.
function expand(group) {
  group.dataset.open = "";
}
document.addEventListener("click", (event) => {
  const more = event.target.closest("button.cl-cite-more");
  if (!more) return;
  const group = more.closest(".cl-cites");
  expand(group);
  group.querySelectorAll(".cl-cite")[1]?.focus();
});

// Touch: the preview is a drawer from below, with the link in it.
const drawer = document.createElement("dialog");
drawer.className = "cl-dialog";
drawer.dataset.drawer = "";
drawer.setAttribute("aria-label", translate("Source"));
drawer.innerHTML = `<div class="cl-dialog-head"><h2>${translate("Source")}</h2><button type="button" class="btn btn-sm" data-close>${translate("Close")}</button></div><div class="cl-dialog-body"></div>`;
document.body.append(drawer);
let touched = false;
document.addEventListener("pointerdown", (event) => { touched = event.pointerType === "touch"; });
document.addEventListener("click", async (event) => {
  const anchor = touched && chipOf(event);
  if (!anchor || drawer.contains(anchor)) return;
  event.preventDefault();
  drawer.showModal();
  const body = drawer.querySelector(".cl-dialog-body");
  body.innerHTML = await fill(body, anchor);
});

// Beside the document that they open, the citations of the passage shown are the current ones, from which stepping goes on.
document.addEventListener("htmx:load", (event) => {
  if (document.querySelector("a.cl-cite[aria-current]")) return;
  const here = [...event.target.querySelectorAll("a.cl-cite[href]")].filter((one) => one.href === location.href);
  for (const one of here) one.setAttribute("aria-current", "true");
  const body = here.at(-1)?.closest("[data-dock-body]");
  if (body && getComputedStyle(body).overflowY === "auto") requestAnimationFrame(() => here.at(-1).scrollIntoView({ block: "center" }));
});

document.addEventListener("clearance:step-citation", (event) => {
  const all = [...document.querySelectorAll("a.cl-cite")].filter((one) => one.closest(".cl-cites")?.checkVisibility() ?? one.checkVisibility());
  if (!all.length) return;
  const current = all.findIndex((one) => one.getAttribute("aria-current") === "true" || one === document.activeElement);
  const next = all[current < 0 ? (event.detail.by > 0 ? 0 : all.length - 1) : (current + event.detail.by + all.length) % all.length];
  for (const one of all) one.removeAttribute("aria-current");
  const group = next.closest(".cl-cites");
  if (group && !next.checkVisibility()) expand(group);
  next.setAttribute("aria-current", "true");
  next.focus({ focusVisible: true });
  next.scrollIntoView({ block: "nearest" });
});

// The address of a cited summary names no place: the first passage that it was drawn from is where to look.
if (!location.hash) document.querySelector("[data-cited]")?.scrollIntoView({ block: "center" });
