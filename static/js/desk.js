// The queue of the classification desk: ticking many at once, and going through it by keyboard.
const form = document.querySelector("[data-desk]");
const boxes = () => [...form.querySelectorAll("[name=item]")];
const all = form?.querySelector("[data-desk-all]");
const count = form?.querySelector("[data-desk-count]");

function tell() {
  const ticked = boxes().filter((box) => box.checked).length;
  count.textContent = ticked ? translate("%(ticked)s of %(all)s ticked", { ticked, all: boxes().length }) : "";
  all.checked = ticked > 0 && ticked === boxes().length;
  all.indeterminate = ticked > 0 && ticked < boxes().length;
}

if (form) {
  form.addEventListener("change", (event) => {
    if (event.target === all) boxes().forEach((box) => (box.checked = all.checked));
    tell();
  });
  // j and k go to the next and the one before, x ticks it; shortcuts.js asks whether keys may do anything now.
  document.addEventListener("clearance:key", ({ detail }) => {
    const items = [...form.querySelectorAll("[data-desk-item]")];
    const here = items.findIndex((item) => item.contains(document.activeElement));
    if (detail.key === "x" && here >= 0) {
      const box = items[here].querySelector("[name=item]");
      if (box) box.checked = !box.checked;
      tell();
    }
    const step = { j: 1, k: -1 }[detail.key];
    if (step) items[Math.min(items.length - 1, Math.max(0, here + step))]?.querySelector("[data-desk-open]").focus();
  });
  tell();
}
