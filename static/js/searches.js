// What a person searched last and what they saved, on the search page while its box is empty. Kept in this browser under
// their id, and what was searched last goes when they sign out; the server keeps neither.
const MAX_RECENT = 8;
const part = document.querySelector("[data-searches]");
const form = document.getElementById("search-form");
const user = document.body.dataset.user;
const keyOf = (kind) => `clearance.searches ${user} ${form.getAttribute("action")} ${kind}`;

const read = (kind) => { try { return JSON.parse(localStorage.getItem(keyOf(kind))) ?? []; } catch { return []; } };
const write = (kind, searches) => { try { localStorage.setItem(keyOf(kind), JSON.stringify(searches)); } catch { /* not kept */ } };

function list(kind) {
  const searches = read(kind);
  const group = part.querySelector(`[data-searches-${kind}]`);
  group.hidden = !searches.length;
  group.querySelector("ul").replaceChildren(...searches.map((query) => {
    const item = document.getElementById(`search-${kind}`).content.firstElementChild.cloneNode(true);
    const link = item.querySelector("a");
    link.textContent = new URLSearchParams(query).get("q");
    link.href = `?${query}`;
    item.querySelector("button").addEventListener("click", () => {
      write(kind, read(kind).filter((one) => one !== query));
      if (kind === "recent") write("saved", [query, ...read("saved").filter((one) => one !== query)]);
      show();
    });
    return item;
  }));
  return searches.length;
}

function show() {
  const query = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  const asked = query.get("q")?.trim();
  if (asked) write("recent", [String(query), ...read("recent").filter((one) => new URLSearchParams(one).get("q") !== asked)].slice(0, MAX_RECENT));
  const listed = ["saved", "recent"].map(list).some(Boolean);
  part.hidden = Boolean(asked) || !listed;
}

if (part && form && user) {
  show();
  document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "found") show(); });
}
document.addEventListener("submit", (event) => {
  if (event.target.dataset?.draft !== "forget") return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("clearance.searches ") && key.endsWith(" recent")) localStorage.removeItem(key);
  } catch { /* nothing was kept */ }
});
