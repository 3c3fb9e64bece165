// Suggestions under the search field: a combobox whose options are links.
const form = document.querySelector("[data-search]");
const field = form?.querySelector("[role=combobox]");
const list = field && document.getElementById(field.getAttribute("aria-controls"));

if (list) {
  const options = () => [...list.querySelectorAll("[role=option]")];
  const close = () => {
    list.replaceChildren();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    const all = options();
    all.forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    const chosen = all[index];
    if (chosen) {
      field.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  };

  list.addEventListener("htmx:afterSwap", () => field.setAttribute("aria-expanded", String(options().length > 0)));
  field.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" && all.length) choose((at + 1) % all.length);
    else if (event.key === "ArrowUp" && all.length) choose(at < 0 ? all.length - 1 : at - 1);
    else if (event.key === "Enter" && at >= 0) all[at].click();
    else if (event.key === "Escape" && all.length) close();
    else return;
    event.preventDefault();
  });
  field.addEventListener("input", () => { if (!field.value.trim()) close(); });
  form.addEventListener("focusout", (event) => { if (!form.contains(event.relatedTarget)) close(); });
  list.addEventListener("pointerdown", (event) => event.preventDefault());
}
