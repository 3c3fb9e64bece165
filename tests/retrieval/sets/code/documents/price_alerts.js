/**
 * Tells customers when the price of an article on their list has fallen.
 * Runs once per hour; prices are compared with the lowest price that the
 * customer has already been told about.
 */
'use strict';

const MIN_DROP_PERCENT = 4;
const MIN_DROP_CENTS = 150;
const MAX_ALERTS_PER_DAY = 3; // for each customer, over all articles
const QUIET_FROM_HOUR = 21;
const QUIET_TO_HOUR = 7;
const EXPIRE_DAYS = 120; // a watch without any alert is removed after this time

function isQuiet(date, timeZone) {
  const hour = Number(
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hour12: false, timeZone }).format(date),
  );
  return hour >= QUIET_FROM_HOUR || hour < QUIET_TO_HOUR;
}

/** Both the relative and the absolute threshold have to be reached. */
function isWorthTelling(reference, price) {
  const drop = reference - price;
  if (drop < MIN_DROP_CENTS) return false;
  return (drop / reference) * 100 >= MIN_DROP_PERCENT;
}

function referencePrice(watch) {
  return watch.lastToldCents === null ? watch.startCents : Math.min(watch.startCents, watch.lastToldCents);
}

/**
 * Articles that are out of stock are skipped; the alert is sent when they
 * come back, if the price is then still low.
 */
async function runOnce({ store, mailer, now = new Date() }) {
  const sentToday = new Map();
  let sent = 0;
  for await (const watch of store.watches()) {
    const ageDays = (now - watch.createdAt) / 86400000;
    if (watch.lastToldCents === null && ageDays > EXPIRE_DAYS) {
      await store.removeWatch(watch.id);
      continue;
    }
    const article = await store.article(watch.articleNo);
    if (!article || article.stock < 1) continue;
    if (!isWorthTelling(referencePrice(watch), article.priceCents)) continue;
    if (isQuiet(now, watch.timeZone)) continue;
    const count = sentToday.has(watch.customerId)
      ? sentToday.get(watch.customerId)
      : await store.alertsSentToday(watch.customerId);
    if (count >= MAX_ALERTS_PER_DAY) continue;
    await mailer.send('price_fell', watch.customerId, {
      title: article.title,
      from: referencePrice(watch),
      to: article.priceCents,
    });
    await store.markTold(watch.id, article.priceCents);
    sentToday.set(watch.customerId, count + 1);
    sent += 1;
  }
  return sent;
}

module.exports = { runOnce, isWorthTelling, isQuiet, referencePrice };
