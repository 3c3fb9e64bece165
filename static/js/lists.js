// Lists that change in place: inside an element with hx-boost, hx-target and hx-select only links and forms to the same
// path (sorting, pages, filters) are fetched; a link that leads elsewhere is an ordinary link, so rows need no exception.
document.addEventListener("htmx:beforeRequest", (event) => {
  const { requestConfig, elt } = event.detail;
  if (!requestConfig.boosted || requestConfig.verb !== "get") return;
  const url = new URL(elt.href || elt.action, location.href);
  if (url.pathname === location.pathname) return;
  event.preventDefault();
  location.assign(url);
});

// A box that ticks all of its table: <input type="checkbox" data-tick-all>.
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-tick-all]")) return;
  for (const box of event.target.closest("table").querySelectorAll("tbody input[type=checkbox]")) box.checked = event.target.checked;
});

// A filter form applies itself when a choice changes: <form data-filter>. Its button stays for the keyboard.
document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.matches("[data-filter]") && event.target.matches("select, [type=checkbox], [type=radio], [type=date]")) form.requestSubmit();
});

// Enter in a field that has a button of its own presses that one: <input data-presses="its-id">.
document.addEventListener("keydown", (event) => {
  const button = event.key === "Enter" && !event.isComposing && document.getElementById(event.target.dataset?.presses);
  if (!button) return;
  event.preventDefault();
  button.click();
});
