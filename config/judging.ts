/** The settings that runs judge by: tolerances, the status model, severities of rules. */
import { z } from 'zod';
import { minorUnitDigits } from '../src/domain/currency.ts';
import { SEVERITIES } from '../src/domain/finding.ts';
import type { StatusDefinition } from '../src/domain/status.ts';
import type { RawMap } from './raw.ts';
import {
  always,
  decimal,
  duration,
  flag,
  list,
  namedMap,
  oneOf,
  optional,
  orOff,
  orWord,
  type Reader,
  strict,
  text,
  wholeNumber,
} from './readers.ts';
import { section, setting } from './setting.ts';

const relative = decimal('1', 'such as 0.001 for 0.1 %');
const absolute = orWord('minor-unit', decimal(null, 'in major units, or minor-unit'));
/** A part that an override leaves out keeps the general value. */
const override = strict({ absolute: absolute.optional(), relative: relative.optional() });

type IsKnown = (name: string) => true | string;

const isCurrency: IsKnown = (code) =>
  minorUnitDigits(code) === undefined
    ? 'is set for something that is not an ISO 4217 currency code, such as EUR'
    : true;

export function tolerances(isRule: IsKnown) {
  return section('Two numbers agree when they differ by no more than the larger of absolute and relative × expected.', {
    fiat: section('Fiat amounts.', {
      absolute: setting('minor-unit', absolute, 'In major units of the currency; minor-unit is 0.01 EUR or 1 JPY.'),
      relative: setting('0.001', relative, 'A fraction: 0.001 is 0.1 %.'),
    }),
    crypto: section('Crypto amounts.', {
      relative: setting(
        '1e-9',
        relative,
        'A fraction. The Service derives crypto amounts from floating point, so that they never agree to the last unit.',
      ),
    }),
    requoted: section('Quotes captured after the record, whose fees are compared as percentages.', {
      percentPoints: setting('0.25', decimal('100', 'in percentage points'), 'Percentage points of the crypto value.'),
    }),
    rate: section('Exchange rates.', {
      consistency: setting('0.001', relative, 'How far the exchange rates of one record may contradict each other.'),
      reference: setting('0.1', relative, 'How far a rate may stray from the reference price.'),
    }),
    currencies: setting(
      {},
      namedMap(override, 'a currency', isCurrency),
      'absolute and relative for single currencies, by ISO 4217 code.',
      { example: 'JPY: { absolute: 1 }' },
    ),
    rules: setting(
      {},
      namedMap(override, 'a rule', isRule),
      'absolute and relative for single rules, by code. They win over those of a currency.',
      { example: 'FEE_NETWORK_DIFFERS: { absolute: 0.50, relative: 0.05 }' },
    ),
  });
}

export function severities(isRule: IsKnown) {
  const severity = orOff(strict({ severity: oneOf(SEVERITIES) }));
  return setting(
    {},
    namedMap(severity, 'a rule', isRule).pipe(z.transform((rules) => Object.fromEntries(rules))),
    `Severity (${SEVERITIES.join(', ')}) of single rules, by code, or off. An info finding never opens a break.`,
    { example: 'QUOTE_MISSING: { severity: info }\nMETHOD_UNSUPPORTED: off' },
  );
}

const definition: Reader<StatusDefinition> = strict({
  value: text('a status as the Service writes it, such as RELEASED', /^[\x21-\x7e]{1,64}$/),
  stage: wholeNumber(0, 1000),
  terminal: flag,
  stuckAfter: optional(duration('1m', '3650d'), ['none', 'off']),
  mayReturnTo: optional(wholeNumber(0, 1000)),
}).check(({ value, issues }) => {
  const complain = (field: string, message: string) =>
    issues.push({ code: 'custom', message, path: [field], input: value });
  if (value.terminal && value.stuckAfter !== null)
    complain('stuckAfter', 'must not be set: nothing follows a terminal status');
  if (value.terminal && value.mayReturnTo !== null)
    complain('mayReturnTo', 'must not be set: nothing follows a terminal status');
  if (value.mayReturnTo !== null && value.mayReturnTo > value.stage) {
    complain('mayReturnTo', `must be at most its own stage, ${value.stage}`);
  }
});

/** The statuses of one kind; the map keeps their order. */
const statusList: Reader<ReadonlyMap<string, StatusDefinition>> = list(definition)
  .check(
    always(({ value, issues }) => {
      const seen = new Set<string>();
      for (const [index, item] of value.entries()) {
        const status = item?.value;
        if (typeof status !== 'string') continue;
        if (seen.has(status)) {
          issues.push({ code: 'custom', message: 'is defined twice', path: [index, 'value'], input: status });
        }
        seen.add(status);
      }
      if (!value.some((item) => item?.terminal !== false)) {
        issues.push({
          code: 'custom',
          message: 'needs a terminal status: without one nothing ever matches',
          input: value,
        });
      }
    }),
  )
  .pipe(z.transform((definitions) => new Map(definitions.map((item) => [item.value, item]))));

/** What spec §3 leaves open, filled with what deployments were seen to use. A record may not move to a lower stage. */
const PURCHASE_STATUSES: readonly RawMap[] = [
  { value: 'INITIALIZED', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'PAYMENT_STARTED', stage: '1', terminal: 'false', stuckAfter: '120h' },
  // The last payment failed; the user may start another, which is not a step back.
  { value: 'PAYMENT_FAILED', stage: '1', terminal: 'false', stuckAfter: '120h', mayReturnTo: '1' },
  { value: 'PAYMENT_IN_PROGRESS', stage: '2', terminal: 'false', stuckAfter: '120h', mayReturnTo: '1' },
  { value: 'PAYMENT_EXECUTED', stage: '3', terminal: 'false', stuckAfter: '120h' },
  { value: 'FIAT_SENT', stage: '4', terminal: 'false', stuckAfter: '120h' },
  { value: 'FIAT_RECEIVED', stage: '5', terminal: 'false', stuckAfter: '120h' },
  { value: 'RELEASING', stage: '6', terminal: 'false', stuckAfter: '120h' },
  { value: 'RELEASED', stage: '7', terminal: 'true' },
  { value: 'EXPIRED', stage: '7', terminal: 'true' },
  { value: 'CANCELLED', stage: '7', terminal: 'true' },
];

/** The status of a sale may come from its body, its payout (`fiat.status`) or an event: three vocabularies in one model. */
const SALE_STATUSES: readonly RawMap[] = [
  { value: 'CREATED', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'not-started', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'initiated', stage: '1', terminal: 'false', stuckAfter: '120h' },
  { value: 'delayed', stage: '1', terminal: 'false', stuckAfter: '120h' },
  { value: 'failed', stage: '1', terminal: 'false', stuckAfter: '120h', mayReturnTo: '0' },
  { value: 'completed', stage: '3', terminal: 'true' },
  { value: 'RELEASED', stage: '3', terminal: 'true' },
  { value: 'EXPIRED', stage: '3', terminal: 'true' },
];

export const statuses = section(
  'Every status that a record may have. stage: a record moves to the same or a higher stage, never back, except to ' +
    'mayReturnTo at the lowest. terminal: nothing follows. stuckAfter: the longest stay, or none. A list that is given ' +
    'here replaces the whole default list of that kind.',
  {
    purchase: setting(PURCHASE_STATUSES, statusList, 'Purchases.'),
    sale: setting(SALE_STATUSES, statusList, 'Sales.'),
  },
);
