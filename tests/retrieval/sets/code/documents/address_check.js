/**
 * Checks and tidies postal addresses at the checkout.
 */
'use strict';

const POSTCODES = {
  DK: /^\d{4}$/,
  SE: /^\d{3} ?\d{2}$/,
  NO: /^\d{4}$/,
  DE: /^\d{5}$/,
  NL: /^\d{4} ?[A-Z]{2}$/,
};

// We do not deliver there: the carriers charge extra and parcels get lost.
const EXCLUDED = [
  { country: 'NO', from: 9170, to: 9179, name: 'Svalbard' },
  { country: 'DK', from: 3900, to: 3999, name: 'Greenland' },
  { country: 'DE', from: 27498, to: 27498, name: 'Heligoland' },
];

const MAX_LINE = 35; // what fits on the label of the carrier

const ABBREVIATIONS = [
  [/\bstrasse\b/gi, 'str.'],
  [/\bboulevard\b/gi, 'blvd.'],
  [/\bapartment\b/gi, 'apt.'],
];

function tidyLine(line) {
  return line.replace(/\s+/g, ' ').replace(/[,;]+$/, '').trim();
}

/** Shorten a line, but only when it does not fit as it is. */
function fitLine(line) {
  let text = tidyLine(line);
  for (const [pattern, short] of ABBREVIATIONS) {
    if (text.length <= MAX_LINE) break;
    text = text.replace(pattern, short);
  }
  return text;
}

function excludedArea(country, postcode) {
  const number = parseInt(postcode.replace(/\D/g, ''), 10);
  const area = EXCLUDED.find((e) => e.country === country && number >= e.from && number <= e.to);
  return area ? area.name : null;
}

/**
 * Returns {ok, problems, address}.  A missing house number is only a warning,
 * because some villages have none.  Parcel lockers need a member number of
 * 6 to 10 digits in the second line.
 */
function checkAddress(address) {
  const problems = [];
  const country = (address.country || '').toUpperCase();
  const pattern = POSTCODES[country];
  if (!pattern) return { ok: false, problems: ['country_not_served'], address };
  const postcode = (address.postcode || '').trim().toUpperCase();
  if (!pattern.test(postcode)) problems.push('postcode');
  const area = excludedArea(country, postcode);
  if (area) problems.push(`excluded:${area}`);
  const street = fitLine(address.street || '');
  if (!street) problems.push('street');
  if (street.length > MAX_LINE) problems.push('street_too_long');
  if (address.locker && !/^\d{6,10}$/.test(address.line2 || '')) problems.push('locker_number');
  const warnings = /\d/.test(street) ? [] : ['house_number'];
  return {
    ok: problems.length === 0,
    problems,
    warnings,
    address: { ...address, country, postcode, street },
  };
}

module.exports = { checkAddress, fitLine, excludedArea };
