// Sentences of the scripts in the language of the page: base.html gives them as JSON where that is not English.
const words = JSON.parse(document.getElementById("words")?.textContent || "{}");

globalThis.translate = (text, values = {}) =>
  Object.entries(values).reduce((sentence, [name, value]) => sentence.replaceAll(`%(${name})s`, value), words[text] ?? text);
