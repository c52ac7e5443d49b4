/** Data about the user: e-mail address and country (spec §2.11). */
import { widgetProblem } from '../problems.ts';
import { checkOf } from './input.ts';

/** A local part, an @, and a domain with a point. Only a message can show whether the address exists. */
const EMAIL = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]+\.[^\s@,;<>".]{2,}$/;

/** The shape only; a wrong one leaves the field of the widget empty. */
export const email = checkOf('userEmailAddress', (text) => {
  if (EMAIL.test(text) && !text.includes('..')) return null;
  // A + that was not encoded is a blank to the reader of the URL.
  const plus = /^\S+ \S+@/.test(text) ? ' A + in a URL must be written as %2B.' : '';
  return widgetProblem('EMAIL_INVALID', 'userEmailAddress', text, {
    message: 'this is not an e-mail address',
    remedy: `Give one address, such as user@example.com, or leave it out.${plus}`,
  });
});

/**
 * ISO 3166-1 alpha-2, in either case: the API takes lower-case codes (spec §2.4), the widget's case is not specified. `UK` and
 * its like get their remedy.
 */
export const country = checkOf('selectedCountryCode', (text) => {
  if (ASSIGNED.has(text.toUpperCase())) return null;
  const meant = MISTAKEN.get(text.toUpperCase());
  return widgetProblem('COUNTRY_UNKNOWN', 'selectedCountryCode', text, {
    message: 'this is not an ISO 3166-1 alpha-2 country code',
    remedy: meant === undefined ? 'Write the two-letter code, such as DE.' : `Write ${meant}.`,
  });
});

/** ISO 3166-1 alpha-2, the 249 officially assigned codes. Generated from the list that the tz database carries. */
const CODES = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
  FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
  JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
  MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
  PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`;

const ASSIGNED: ReadonlySet<string> = new Set(CODES.trim().split(/\s+/));

/** Codes that people write for a country that has another one. */
const MISTAKEN: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['SU', 'RU'],
]);
