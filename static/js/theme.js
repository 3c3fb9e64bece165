// Runs before first paint: colour scheme, dock width and dismissed notices, so that nothing flashes or moves afterwards.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const read = (key) => {
    try { return localStorage.getItem(`clearance.${key}`); } catch { return null; }
  };
  const write = (key, value) => {
    try { localStorage.setItem(`clearance.${key}`, value); } catch { /* private mode: the choice lasts for this page */ }
  };
  const apply = (choice) => {
    root.dataset.bsTheme = choice === "dark" || (choice !== "light" && dark.matches) ? "dark" : "light";
  };

  let choice = read("theme") || "auto";
  apply(choice);
  dark.addEventListener("change", () => apply(choice));
  root.classList.add("js");
  const width = Number(read("dock-width"));
  if (width) root.style.setProperty("--cl-dock-width", `${width}px`);
  for (const notice of (read("dismissed") || "").split(" ").filter(Boolean)) root.classList.add(`dismissed-${notice}`);

  const mark = () => {
    for (const button of document.querySelectorAll("[data-theme-set]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeSet === choice));
      button.classList.toggle("active", button.dataset.themeSet === choice);
    }
  };
  document.addEventListener("DOMContentLoaded", mark);
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-theme-set]");
    if (button) {
      choice = button.dataset.themeSet;
      write("theme", choice);
      apply(choice);
      mark();
    }
    const notice = event.target.closest?.("[data-dismiss]")?.dataset.dismiss;
    if (notice) {
      const gone = new Set((read("dismissed") || "").split(" ").filter(Boolean)).add(notice);
      write("dismissed", [...gone].join(" "));
      root.classList.add(`dismissed-${notice}`);
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  });
})();
