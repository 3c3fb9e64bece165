// What is asked stands in the conversation at once, marked as being sent, and the composer is free for the next. The answer
// brings the question as it was taken and replaces the mark; where it does not arrive, the text goes back into the box.
const sending = new WeakMap();
const failed = new WeakMap(); // form -> text that was sent and may have arrived all the same

const composerOf = (event) => {
  const form = event.detail.requestConfig?.elt ?? event.detail.elt;
  return form.matches?.("form[data-composer]") && document.getElementById("echo-template") ? form : null;
};
const arrived = ({ xhr }) => {
  const signIn = document.body.dataset.signIn;
  return xhr.status >= 200 && xhr.status < 300 && !(signIn && xhr.responseURL && new URL(xhr.responseURL).pathname === signIn);
};

function write(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.form.dispatchEvent(new CustomEvent("clearance:keep", { bubbles: true }));
}

// What was sent in vain and is sent as it was is the same question, under the same key. With other words it is another one,
// which the server would take for the first if that had arrived.
document.addEventListener("htmx:configRequest", (event) => {
  const form = composerOf(event);
  if (!form || !failed.has(form)) return;
  if (failed.get(form) !== form.querySelector("textarea").value) {
    const key = form.querySelector("[name=client_id]");
    key.value = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    event.detail.parameters.client_id = key.value;
  }
  failed.delete(form);
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const form = composerOf(event);
  const field = form?.querySelector("textarea");
  if (!field?.value.trim()) return;
  const echo = document.getElementById("echo-template").content.firstElementChild.cloneNode(true);
  echo.querySelector(".cl-turn-body").textContent = field.value.trim();
  sending.set(form, { echo, text: field.value });
  document.getElementById("talk").append(echo);
  field.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const form = composerOf(event);
  const sent = form && sending.get(form);
  if (!sent || !arrived(event.detail)) return;
  sent.echo.remove();
  sent.next = form.querySelector("textarea").value; // typed meanwhile: the answer brings an empty box
});

document.addEventListener("htmx:afterRequest", (event) => {
  const form = composerOf(event);
  const sent = form && sending.get(form);
  if (!sent) return;
  sending.delete(form);
  sent.echo.remove();
  const field = form.querySelector("textarea");
  if (!arrived(event.detail)) failed.set(form, sent.text);
  if (!arrived(event.detail)) write(field, [sent.text, field.value].filter((text) => text.trim()).join("\n\n"));
  else if (sent.next && field.value !== sent.next) write(field, sent.next);
});
