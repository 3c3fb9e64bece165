// `@` in the composer: names of records, files, folders and conversations are offered, Enter or Tab takes one. What is
// taken stands as a chip above the box, and its id goes with the question; without its name in the text it goes too.
const FIND = /(^|\s)@([^\s@][^@\n]{0,59})$/;
const DELAY_MS = 150;
let latest = 0;
let given = "";

const listOf = () => document.getElementById("mention-list");
const chips = () => document.getElementById("chat-mentions");
const isComposer = (node) => node?.matches?.("[data-composer] textarea");
const options = (list) => [...list.querySelectorAll("[role=option]")];

function choose(field, list, index) {
  options(list).forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
  const chosen = options(list)[index];
  if (!chosen) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", chosen.id);
  chosen.scrollIntoView({ block: "nearest" });
}

function close(field) {
  latest += 1;
  const list = listOf();
  if (!list) return;
  list.replaceChildren();
  list.hidden = true;
  field.removeAttribute("aria-activedescendant");
}

async function offer(field) {
  const list = listOf();
  const typed = FIND.exec(field.value.slice(0, field.selectionStart))?.[2];
  if (!list || !typed || given === typed.trim()) return close(field);
  const asked = (latest += 1);
  await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  if (asked !== latest) return;
  try {
    const answer = await fetch(`${list.dataset.url}?q=${encodeURIComponent(typed)}`);
    const found = answer.ok ? await answer.text() : "";
    if (asked !== latest) return;
    list.innerHTML = found;
  } catch { return close(field); }
  list.hidden = !options(list).length;
  if (list.hidden) return close(field);
  choose(field, list, 0);
  const count = options(list).length;
  const text = translate("%(count)s suggestions", { count });
  document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text } }));
}

function addChip(value, name) {
  if ([...chips().children].some((chip) => chip.dataset.value === value)) return;
  const chip = document.createElement("li");
  chip.className = "cl-mention";
  chip.dataset.value = value;
  chip.dataset.name = name;
  const input = Object.assign(document.createElement("input"), { type: "hidden", name: "mention", value });
  const remove = Object.assign(document.createElement("button"), { type: "button", className: "cl-ghost", textContent: "×" });
  remove.setAttribute("aria-label", translate("Do not look in %(name)s", { name }));
  remove.addEventListener("click", () => { chip.remove(); document.querySelector("[data-composer] textarea")?.focus(); });
  chip.append(name, remove, input);
  chips().append(chip);
}

function take(field, option) {
  const { value, name } = option.dataset;
  const before = field.value.slice(0, field.selectionStart);
  const begin = before.length - FIND.exec(before)[2].length;
  field.setRangeText(`${name} `, begin, before.length, "end");
  given = name;
  addChip(value, name);
  close(field);
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("input", (event) => {
  if (!isComposer(event.target)) return;
  for (const chip of chips()?.children ?? []) if (!event.target.value.includes(`@${chip.dataset.name}`)) chip.remove();
  offer(event.target);
});
// Before the composer's own Enter: while names are offered it takes one of them.
document.addEventListener("keydown", (event) => {
  const list = isComposer(event.target) && listOf();
  if (!list || list.hidden || event.isComposing) return;
  const all = options(list);
  const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose(event.target, list, (at + 1) % all.length);
  else if (event.key === "ArrowUp") choose(event.target, list, at <= 0 ? all.length - 1 : at - 1);
  else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && all[at]) take(event.target, all[at]);
  else if (event.key === "Escape") close(event.target);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
document.addEventListener("pointerdown", (event) => {
  const option = event.target.closest?.("#mention-list [role=option]");
  if (!option) return;
  event.preventDefault();
  take(document.querySelector("[data-composer] textarea"), option);
});
document.addEventListener("focusout", (event) => { if (isComposer(event.target)) close(event.target); });
