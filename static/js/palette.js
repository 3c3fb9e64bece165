// The palette: Ctrl-K or ⌘K opens it, also while typing. Its options are links; arrows choose one, Enter follows it.
const dialog = document.getElementById("palette");
const field = dialog?.querySelector("[role=combobox]");
const found = document.getElementById("palette-found");

if (field) {
  const commands = [...dialog.querySelectorAll("[data-command]")];
  const searchAll = dialog.querySelectorAll("[data-search-all]");
  const options = () => [...dialog.querySelectorAll("[role=option]:not([hidden])")];
  const choose = (index) => {
    const all = options();
    all.forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    if (!all[index]) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", all[index].id);
    all[index].scrollIntoView({ block: "nearest" });
  };
  const filter = () => {
    // What was found for the words before: a quick Enter would open it.
    found.replaceChildren();
    const typed = field.value.trim();
    const words = typed.toLowerCase().split(/\s+/);
    for (const command of commands) {
      const name = command.textContent.toLowerCase();
      command.hidden = !words.every((word) => name.includes(word));
    }
    for (const link of searchAll) {
      link.hidden = !typed;
      link.querySelector("[data-slot=words]").textContent = typed;
      link.href = `${link.href.split("?")[0]}?q=${encodeURIComponent(typed)}`;
    }
    choose(0);
  };

  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (dialog.open) return dialog.close();
    if (document.querySelector("dialog[open]")) return;
    field.value = "";
    filter();
    dialog.showModal();
    field.focus();
  });
  field.addEventListener("input", filter);
  // What was found stands before the commands, under names of its own: the field above may have found the same.
  found.addEventListener("htmx:afterSwap", () => {
    found.querySelectorAll("[role=option]").forEach((option, i) => { option.id = `palette-found-${i}`; });
    choose(0);
  });
  field.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") choose((at + 1) % all.length);
    else if (event.key === "ArrowUp") choose(at <= 0 ? all.length - 1 : at - 1);
    else if (event.key === "Enter" && at >= 0) all[at].click();
    else return;
    event.preventDefault();
  });
}
