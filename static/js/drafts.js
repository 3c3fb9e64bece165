// Nothing typed is lost by a reload, a failed request or an expired session: fields of POST forms are kept in this tab's
// sessionStorage, under the person's id, until the form has been sent and answered.
//   <form data-draft="name">  a name of its own (else its address)      data-draft="off"  keeps nothing
//   data-draft="forget"       forgets everything (sign-out)
const PREFIX = "clearance.draft";
const user = document.body.dataset.user;
const onSignIn = Boolean(document.querySelector("[data-sign-in-page]"));

const storage = {
  get: (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } },
  set: (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* full or refused: no draft */ } },
  keys: () => { try { return Object.keys(sessionStorage).filter((key) => key.startsWith(`${PREFIX} `)); } catch { return []; } },
  drop: (key) => { try { sessionStorage.removeItem(key); } catch { /* nothing to drop */ } },
};

const isKept = (form) =>
  user && form && !/^(off|forget)$/.test(form.dataset.draft || "") && (form.method === "post" || form.hasAttribute("hx-post") || form.hasAttribute("hx-patch"));
const nameOf = (form) => form.dataset.draft || form.getAttribute("hx-post") || form.getAttribute("hx-patch") || form.getAttribute("action") || "form";
// A composer is the same beside a record and beside its documents, so its page is no part of the key.
const pageOf = (form) => (form.hasAttribute("data-composer") ? new URL(form.action).pathname : location.pathname);
const keyOf = (form) => `${PREFIX} ${user} ${pageOf(form)} ${nameOf(form)}`;
const fieldsOf = (form) =>
  [...form.elements].filter((field) => field.name && (field.tagName === "TEXTAREA" || (field.tagName === "INPUT" && /^(text|search|email|url|tel|number|date|datetime-local)$/.test(field.type))));

function keep(form) {
  const values = {};
  for (const field of fieldsOf(form)) if (field.value !== field.defaultValue) values[field.name] = [field.value, field.defaultValue];
  if (Object.keys(values).length) storage.set(keyOf(form), { values, sent: false });
  else storage.drop(keyOf(form));
}

function offer(form, restored) {
  const note = document.createElement("p");
  note.className = "cl-draft-note";
  note.textContent = `${translate("What you typed is restored.")} `;
  const discard = document.createElement("button");
  discard.type = "button";
  discard.className = "btn btn-sm";
  discard.textContent = translate("Discard it");
  discard.addEventListener("click", () => {
    for (const field of restored) field.value = field.defaultValue;
    storage.drop(keyOf(form));
    note.remove();
    restored[0].focus();
  });
  note.append(discard);
  if (form.dataset.draftNote !== "off") form.prepend(note);
}

// A value is put back only over the value it was typed over; the server's newer value stays.
function restore(form) {
  const draft = storage.get(keyOf(form));
  if (!draft) return;
  const restored = [];
  for (const field of fieldsOf(form)) {
    const [value, typedOver] = draft.values[field.name] || [];
    if (value === undefined || field.value === value || field.value !== typedOver) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    restored.push(field);
  }
  if (restored.length) offer(form, restored);
}

const restoreAll = (root) => root.querySelectorAll("form").forEach((form) => { if (isKept(form)) restore(form); });

const saved = Boolean(document.querySelector('#toasts [data-kind="success"]'));

if (user && !onSignIn) {
  for (const key of storage.keys()) {
    const [, , whose, path] = ` ${key}`.split(" ");
    const draft = storage.get(key);
    // Another person signed in in this tab, or the form was sent and led to another page or a success message: it arrived.
    if (whose !== user || (draft?.sent && (saved || path !== location.pathname))) storage.drop(key);
  }
  restoreAll(document);
}

// A question has no label at first, and what has none reaches nobody: a turn that breaks off by then cannot show it again.
// So the tab in which it was typed keeps it until the turn has ended, and then, if it was lost, puts it into the composer.
function keepQuestions() {
  const keyOfTurn = (id) => `${PREFIX} ${user} question ${id}`;
  for (const turn of document.querySelectorAll("[data-turn]")) {
    const asked = document.getElementById(`t-${turn.id}`)?.querySelector(".cl-turn-body");
    if (asked) storage.set(keyOfTurn(turn.id), { text: asked.textContent });
  }
  for (const ended of document.querySelectorAll("#talk [data-state]")) {
    const kept = storage.get(keyOfTurn(ended.id));
    if (!kept) continue;
    const field = document.querySelector("[data-composer] textarea");
    if (ended.hasAttribute("data-lost-question") && field && !field.value) {
      field.value = kept.text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      keep(field.form);
    }
    if (!ended.hasAttribute("data-lost-question") || field?.value === kept.text) storage.drop(keyOfTurn(ended.id));
  }
}
if (user && !onSignIn) {
  keepQuestions();
  document.addEventListener("htmx:load", keepQuestions);
}

document.addEventListener("input", (event) => {
  const form = event.target.form;
  if (event.isTrusted && isKept(form)) keep(form);
});
document.addEventListener("clearance:keep", (event) => { if (isKept(event.target)) keep(event.target); });
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset?.draft === "forget") storage.keys().forEach(storage.drop);
  else if (isKept(form) && !event.defaultPrevented) {
    const draft = storage.get(keyOf(form));
    if (draft) storage.set(keyOf(form), { ...draft, sent: true });
  }
});
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt.closest?.("form");
  const signIn = document.body.dataset.signIn;
  const url = event.detail.xhr.responseURL;
  const arrived = event.detail.successful && !(signIn && url && new URL(url).pathname === signIn);
  if (isKept(form) && arrived && event.detail.requestConfig.verb !== "get") storage.drop(keyOf(form));
});
document.addEventListener("htmx:load", (event) => { if (event.target !== document.body) restoreAll(event.target); });
