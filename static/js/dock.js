// The chat dock: its width by pointer or arrow keys, kept for next time; its body stays at the end while text streams in,
// unless the reader has scrolled up; the conversation in it is the one that this tab showed last beside the same record.
const KEY = "clearance.dock-width";
const MIN = 320;
const dock = document.querySelector("[data-dock]");
const handle = dock?.querySelector("[data-dock-handle]");

if (handle) {
  const most = () => Math.round(innerWidth / 2);
  const width = () => Math.round(dock.getBoundingClientRect().width);
  const tell = () => {
    handle.setAttribute("aria-valuemin", MIN);
    handle.setAttribute("aria-valuemax", most());
    handle.setAttribute("aria-valuenow", width());
  };
  const set = (value) => {
    const clamped = Math.max(MIN, Math.min(most(), Math.round(value)));
    document.documentElement.style.setProperty("--cl-dock-width", `${clamped}px`);
    tell();
  };
  const keepWidth = () => { try { localStorage.setItem(KEY, width()); } catch { /* lasts for this page */ } };

  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.dataset.dragging = "";
    const right = dock.getBoundingClientRect().right;
    const move = (next) => set(right - next.clientX);
    const end = () => {
      delete handle.dataset.dragging;
      handle.removeEventListener("pointermove", move);
      keepWidth();
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", end, { once: true });
  });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (by) set(width() + by);
    else if (event.key === "Home") set(MIN);
    else if (event.key === "End") set(most());
    else return;
    event.preventDefault();
    keepWidth();
  });
  addEventListener("resize", tell);
  tell();
}

// In the side column the body scrolls; on a narrow screen the page does. A dock may be fetched, so look when it arrives.
function follow(body) {
  const scroller = () => (getComputedStyle(body).overflowY === "auto" ? body : document.scrollingElement);
  let following = true;
  const toEnd = () => { if (body.checkVisibility()) scroller().scrollTop = scroller().scrollHeight; };
  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = scroller();
    following = scrollHeight - scrollTop - clientHeight < 80;
  };
  body.addEventListener("scroll", look, { passive: true });
  document.addEventListener("scroll", () => { if (scroller() !== body) look(); }, { passive: true });
  new MutationObserver(() => { if (following && !areEarlierArriving) toEnd(); }).observe(body, { childList: true, subtree: true, characterData: true });
  if (scroller() === body) toEnd();
}

// Earlier turns are put above the first one, which stays where it is; the link that fetched them had the focus.
let areEarlierArriving = false;
document.addEventListener("htmx:beforeSwap", (event) => {
  const link = event.target.closest?.("[data-earlier]");
  const first = link?.nextElementSibling;
  if (!first || !event.detail.shouldSwap) return;
  const above = first.getBoundingClientRect().top;
  const stay = () => {
    // On a page of its own the page scrolls, although the body might.
    for (const scroller of [first.closest("[data-dock-body]"), document.scrollingElement]) {
      scroller.scrollBy({ top: first.getBoundingClientRect().top - above, behavior: "instant" });
    }
  };
  areEarlierArriving = true;
  // Their buttons are shown, and make them taller, in between.
  document.addEventListener("htmx:afterSwap", stay, { once: true });
  document.addEventListener("htmx:afterSettle", () => {
    stay();
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
    setTimeout(() => { areEarlierArriving = false; });
  }, { once: true });
});

// A link to a turn or message that is not among those on the page, as it was written before pages had parts.
const named = location.hash.match(/^#[tm]-([0-9a-f-]{36})$/)?.[1];
if (named && document.querySelector("[data-earlier]") && !document.getElementById(location.hash.slice(1))) {
  const page = new URL(location);
  if (page.searchParams.get("at") !== named) {
    page.searchParams.set("at", named);
    location.replace(page);
  }
}

const followed = new WeakSet();
function lookForBodies() {
  for (const body of document.querySelectorAll("[data-dock-body]")) {
    if (followed.has(body)) continue;
    followed.add(body);
    follow(body);
  }
}
lookForBodies();
document.addEventListener("htmx:load", lookForBodies);

// Enter sends, Shift+Enter is a new line; never while an input method is composing.
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !field.matches?.("[data-composer] textarea")) return;
  event.preventDefault();
  if (field.value.trim()) field.form.requestSubmit();
});

// A citation opens the document with the conversation still beside it, even where that is not the latest one.
const slot = (path) => `clearance.conversation ${path}`;
addEventListener("pagehide", () => {
  const form = document.querySelector("#chat-dock form[data-composer]");
  const session = form?.elements.session?.value;
  if (!form) return;
  const key = slot(new URL(form.action).pathname.replace(/ask\/$/, ""));
  if (session) sessionStorage.setItem(key, session);
  else sessionStorage.removeItem(key);
});
// One that is gone is not asked for again.
document.addEventListener("htmx:responseError", (event) => {
  if (event.target.id === "chat-dock") sessionStorage.removeItem(slot(event.detail.requestConfig.path));
});
document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "chat-dock" || !event.target.hasAttribute("data-awaited")) return;
  const session = sessionStorage.getItem(slot(event.detail.path));
  if (session) event.detail.parameters.session = session;
});
