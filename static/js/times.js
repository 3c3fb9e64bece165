// Keeps <time data-relative> fresh; the same words as entities/formats.py. The exact local time is the title.
const UNITS = [[2700, 60, "min"], [79200, 3600, "h"], [561600, 86400, "day"]];
const exact = new Intl.DateTimeFormat(document.documentElement.lang || undefined, { dateStyle: "full", timeStyle: "short", timeZone: document.documentElement.dataset.timeZone || undefined });

function words(moment, now) {
  const seconds = (now - moment) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return translate(seconds >= 0 ? "just now" : "in a moment");
  for (const [limit, length, unit] of UNITS) {
    if (distance < limit) {
      const count = Math.max(1, Math.round(distance / length));
      const name = unit === "day" && count > 1 ? "days" : unit;
      return translate(seconds > 0 ? `%(count)s ${name} ago` : `in %(count)s ${name}`, { count });
    }
  }
  return null;
}

function refresh(root = document) {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[data-relative]")) {
    const moment = new Date(time.dateTime);
    const text = words(moment.getTime(), now);
    if (text && text !== time.textContent) time.textContent = text;
    if (!time.dataset.exact) {
      time.title = exact.format(moment);
      time.dataset.exact = "local";
    }
  }
}

refresh();
setInterval(() => { if (!document.hidden) refresh(); }, 30000);
document.addEventListener("htmx:afterSettle", (event) => refresh(event.target.parentElement || document));
