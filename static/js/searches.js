// What a person searched last and what they saved, on the search page while its box is empty. Kept in this browser under
// their id; the server keeps neither. What was searched last goes when they sign out, or when somebody else is here.
const MAX_RECENT = 8;
const PREFIX = "clearance.searches ";
const part = document.querySelector("[data-searches]");
const form = document.getElementById("search-form");
const user = document.body.dataset.user;
const keyOf = (kind) => `${PREFIX}${user} ${form.getAttribute("action")} ${kind}`;

const read = (kind) => { try { return JSON.parse(localStorage.getItem(keyOf(kind))) ?? []; } catch { return []; } };
const write = (kind, searches) => { try { localStorage.setItem(keyOf(kind), JSON.stringify(searches)); } catch { /* not kept */ } };

function forget(but) {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && key.endsWith(" recent") && !(but && key.startsWith(`${PREFIX}${but} `))) localStorage.removeItem(key);
    }
  } catch { /* nothing was kept */ }
}

// The words and the filters. Of a record or a file no name is kept, for clearances change: the end of its id tells it.
function describe(query) {
  const names = JSON.parse(document.getElementById("search-names").textContent);
  const tell = ([name, value]) => (name === "q" ? value
    : names[`${name}=${value}`] ?? `${names[name] ?? name} ${value.length === 36 ? `…${value.slice(-6)}` : value}`);
  return [...new URLSearchParams(query)].map(tell).join(" · ");
}

function list(kind) {
  const searches = read(kind);
  const group = part.querySelector(`[data-searches-${kind}]`);
  group.hidden = !searches.length;
  group.querySelector("ul").replaceChildren(...searches.map((query) => {
    const item = document.getElementById(`search-${kind}`).content.firstElementChild.cloneNode(true);
    const [link, button] = [item.querySelector("a"), item.querySelector("button")];
    link.textContent = describe(query);
    link.href = `?${query}`;
    button.setAttribute("aria-label", `${button.textContent}: ${link.textContent}`);
    button.addEventListener("click", () => {
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
  if (asked) write("recent", [String(query), ...read("recent").filter((one) => one !== String(query))].slice(0, MAX_RECENT));
  const listed = ["saved", "recent"].map(list).some(Boolean);
  part.hidden = Boolean(asked) || !listed;
}

if (user) forget(user);
if (part && form && user) {
  show();
  document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "found") show(); });
}
document.addEventListener("submit", (event) => { if (event.target.dataset?.draft === "forget") forget(); });
