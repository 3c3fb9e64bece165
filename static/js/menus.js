// Menus (details), dialogs (data-open, data-close) and the page tabs of narrow screens.
const openMenus = () => document.querySelectorAll("details[data-menu][open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  const opener = event.target.closest("[data-open]");
  if (opener && opener.tagName === "BUTTON") {
    document.getElementById(opener.dataset.open)?.showModal();
    opener.closest("details[data-menu]")?.removeAttribute("open");
  }
  if (event.target.closest("[data-close]") || event.target.matches("dialog")) event.target.closest("dialog")?.close();
});

document.addEventListener("focusin", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  }
});

// Page tabs: anchors without this, one part at a time with it. The part in the address, or that of a place in it, is the one shown first.
const tabs = document.querySelector("[data-page-tabs]");
if (tabs) {
  const page = tabs.closest(".cl-page");
  const show = (part) => {
    page.dataset.tab = part;
    for (const tab of tabs.querySelectorAll("[data-tab-to]")) {
      if (tab.dataset.tabTo === part) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  };
  tabs.addEventListener("click", (event) => {
    const tab = event.target.closest("[data-tab-to]");
    if (!tab) return;
    event.preventDefault();
    show(tab.dataset.tabTo);
    history.replaceState(history.state, "", tab.hash);
    scrollTo({ top: 0 });
  });
  document.addEventListener("clearance:show-part", (event) => show(event.detail.part));
  const showTarget = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const tab = target && [...tabs.querySelectorAll("[data-tab-to]")].find((one) => document.querySelector(one.hash)?.contains(target));
    if (!tab) return;
    show(tab.dataset.tabTo);
    if (tab.hash !== location.hash) target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", showTarget);
  showTarget();
}
