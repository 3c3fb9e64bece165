// A form that loads the page anew is sent once, however often it is clicked: the answer to a second sending would be what
// the person is told ("nothing was decided"), while the first did it. Sent again when it was not answered for so long.
const WAIT_MS = 10_000;
const sent = new WeakMap();

document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (performance.now() - (sent.get(event.target) ?? -Infinity) < WAIT_MS) event.preventDefault();
}, true);
window.addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.method === "post") sent.set(event.target, performance.now());
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.forms) sent.delete(form);
});
