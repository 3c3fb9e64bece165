// Single-key shortcuts: never while typing, never with a modifier, and they can be switched off (WCAG 2.1.4).
const KEY = "clearance.shortcuts";
const dialog = document.getElementById("shortcuts");
const toggle = dialog?.querySelector("[data-shortcuts-on]");

const isOn = () => localStorage.getItem(KEY) !== "off";
const isTyping = (element) => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

if (toggle) {
  toggle.checked = isOn();
  toggle.addEventListener("change", () => localStorage.setItem(KEY, toggle.checked ? "on" : "off"));
}

const ACTIONS = {
  "/": () => {
    const field = document.getElementById("search") ?? document.getElementById("search-q");
    field?.focus();
    field?.select();
  },
  c: () => {
    const composer = document.querySelector("[data-composer] textarea");
    if (!composer) return;
    document.dispatchEvent(new CustomEvent("clearance:show-part", { detail: { part: "dock" } }));
    composer.focus();
  },
  "?": () => dialog?.showModal(),
  "[": () => document.dispatchEvent(new CustomEvent("clearance:step-citation", { detail: { by: -1 } })),
  "]": () => document.dispatchEvent(new CustomEvent("clearance:step-citation", { detail: { by: 1 } })),
};

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-to-composer]")) return;
  event.preventDefault();
  ACTIONS.c();
});

document.addEventListener("keydown", (event) => {
  const action = ACTIONS[event.key] || (/^[a-z]$/.test(event.key) && (() => press(event.key)));
  if (!action || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !isOn()) return;
  if (document.querySelector("dialog[open]")) return;
  // The label of a field moves the cursor there: the letter must not be typed into it.
  if (ACTIONS[event.key] || document.querySelector(`label[data-key="${event.key}"]`)) event.preventDefault();
  action();
});

// A letter presses what carries it (data-key), and pages hear of it.
function press(key) {
  document.querySelector(`[data-key="${key}"]`)?.click();
  document.dispatchEvent(new CustomEvent("clearance:key", { detail: { key } }));
}

// Esc closes what is open; where nothing is, it leaves a document for its record. Asked before the others close theirs.
addEventListener("keydown", (event) => {
  const leave = document.querySelector("[data-leave]");
  if (event.key !== "Escape" || !leave || event.isComposing || isTyping(event.target)) return;
  if (document.querySelector("dialog[open], details[data-menu][open], :popover-open")) return;
  event.preventDefault(); // the browser's own Esc stops what loads: the page that this leads to
  leave.click();
}, { capture: true });
