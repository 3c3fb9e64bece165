// Under a question and an answer: copy the answer as it is read, without its numbers; put the question back into the
// composer to be changed and asked again. Both need this script, so their buttons are hidden without it.
function lookForButtons() {
  for (const button of document.querySelectorAll("[data-copy][hidden], [data-edit][hidden]")) {
    button.hidden = "copy" in button.dataset && !navigator.clipboard;
  }
}
lookForButtons();
document.addEventListener("htmx:load", lookForButtons);

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy], [data-edit]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy || button.dataset.edit);
  if (button.dataset.copy) {
    await navigator.clipboard.writeText(source.innerText.trim());
    document.dispatchEvent(new CustomEvent("clearance:say", { detail: { text: translate("Copied.") } }));
    return;
  }
  const field = document.querySelector("form[data-composer] textarea");
  field.value = source.textContent;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});
