// Under a question and an answer: copy the answer as it is read, without its numbers; put the question back into the
// composer to be changed and asked again. Both need this script, so their buttons are hidden without it.
function lookForButtons() {
  for (const button of document.querySelectorAll("[data-copy][hidden], [data-edit][hidden]")) {
    button.hidden = "copy" in button.dataset && !navigator.clipboard;
  }
}
lookForButtons();
document.addEventListener("htmx:load", lookForButtons);

// Laid out out of sight, so that paragraphs and lists keep their lines.
function readWithoutNumbers(source) {
  const copy = source.cloneNode(true);
  for (const number of copy.querySelectorAll(".cl-cites, .cl-cite, .cl-cite-more")) {
    const before = number.previousSibling;
    if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.trimEnd();
    number.remove();
  }
  copy.removeAttribute("id");
  copy.classList.add("visually-hidden");
  source.after(copy);
  const text = copy.innerText.trim();
  copy.remove();
  return text;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy], [data-edit]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy || button.dataset.edit);
  if (button.dataset.copy) {
    await navigator.clipboard.writeText(readWithoutNumbers(source));
    document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text: translate("Copied.") } }));
    return;
  }
  const field = document.querySelector("form[data-composer] textarea");
  field.value = [field.value, source.textContent].filter((text) => text.trim()).join("\n\n");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.form.dispatchEvent(new CustomEvent("clearance:keep", { bubbles: true }));
  field.focus();
});
