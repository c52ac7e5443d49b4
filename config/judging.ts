/** The settings that runs judge by: tolerances, the status model, severities of rules. */
import { z } from 'zod';
import { minorUnitDigits } from '../src/domain/currency.ts';
import { SEVERITIES } from '../src/domain/finding.ts';
import { type Instant, parseInstant } from '../src/domain/record.ts';
import { MONEY_MOVED, type StatusDefinition, type Stay } from '../src/domain/status.ts';
import { FEE_CEILINGS, PURCHASE_STATUSES, RENAMED_ASSETS, SALE_STATUSES } from '../src/service/profile.ts';
import { parseDuration } from './duration.ts';
import {
  always,
  decimal,
  delegate,
  distinct,
  flag,
  list,
  namedMap,
  oneOf,
  optional,
  orOff,
  orWord,
  type Reader,
  reader,
  strict,
  text,
  wholeNumber,
} from './readers.ts';
import { section, setting } from './setting.ts';
import { shaped, shapeOf } from './shape.ts';

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
      relative: setting(
        '0',
        relative,
        'A fraction: 0.001 is 0.1 %. A quoted fee or total is held to the absolute part.',
      ),
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
      sinceQuote: setting(
        '0.015',
        relative,
        'How far an executed price may lie outside the range of prices that others saw then, against the user.',
      ),
    }),
    networkFee: setting(
      '0.25',
      relative,
      'How far a network fee may move from the quoted one, or from those published then, where quotes.networkFee is indicative.',
    ),
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

const statusName = text('a status as the Service writes it, such as RELEASED', /^[\x21-\x7e]{1,64}$/);

const DAYS = /^(\d{1,3})wd$/;
const AFTER_END = /^endTime\+(.+)$/;

/** `24h`, `3wd` (working days), `endTime+24h`. */
const stay: Reader<Stay> = reader('a duration such as 24h, working days such as 3wd, or endTime+24h', (value) => {
  const days = DAYS.exec(value)?.[1];
  if (days !== undefined) return Number(days) > 0 ? { workingDays: Number(days) } : undefined;
  const after = AFTER_END.exec(value)?.[1];
  const ms = parseDuration(after ?? value);
  if (ms === undefined || (after === undefined && ms < 60_000)) return undefined;
  return after === undefined ? ms : { afterEndTime: ms };
});

/** One stay for all methods, or one by method beside that of the others. */
const stays: Reader<Pick<StatusDefinition, 'stuckAfter' | 'stuckAfterBy'>> = shaped(
  z
    .unknown()
    .transform((value, context) => {
      if (typeof value !== 'object' || value === null) {
        return { stuckAfter: delegate(optional(stay, ['none', 'off']), value, context) };
      }
      const { default: others, ...byMethod } = value as Record<string, unknown>;
      const stuckAfter = delegate(optional(stay, ['none', 'off']), others, context, ['default']);
      const named = Object.entries(byMethod).map(([method, each]) => [method, delegate(stay, each, context, [method])]);
      return { stuckAfter, stuckAfterBy: Object.fromEntries(named) as Record<string, Stay> };
    })
    .default({ stuckAfter: null }),
  () => ({
    anyOf: [{ enum: [null, 'none', 'off'] }, shapeOf(stay), { type: 'object', additionalProperties: shapeOf(stay) }],
  }),
);

const fields = strict({
  value: statusName,
  stage: wholeNumber(0, 1000),
  terminal: flag,
  stuckAfter: stays,
  mayReturnTo: optional(wholeNumber(0, 1000)),
  mayBecome: optional(list(statusName)),
  moneyMoved: optional(oneOf(MONEY_MOVED)),
});

/** What a status leaves out is left out of the frozen terms too. */
const definition: Reader<StatusDefinition> = fields
  .pipe(
    z.transform(({ stuckAfter, mayBecome, moneyMoved, ...rest }) => ({
      ...rest,
      ...stuckAfter,
      ...(mayBecome === null ? {} : { mayBecome }),
      ...(moneyMoved === null ? {} : { moneyMoved }),
    })),
  )
  .check(({ value, issues }) => {
    const complain = (field: string, message: string) =>
      issues.push({ code: 'custom', message, path: [field], input: value });
    if (value.terminal && value.stuckAfter !== null)
      complain('stuckAfter', 'must not be set: nothing follows a terminal status');
    if (value.terminal && value.mayReturnTo !== null)
      complain('mayReturnTo', 'must not be set: nothing follows a terminal status');
    if (!value.terminal && value.mayBecome !== undefined) {
      complain('mayBecome', 'is for terminal statuses: others may become every status of a higher stage');
    }
    if (value.mayReturnTo !== null && value.mayReturnTo > value.stage) {
      complain('mayReturnTo', `must be at most its own stage, ${value.stage}`);
    }
  });

/** The statuses of one kind; the map keeps their order. */
const statusList: Reader<ReadonlyMap<string, StatusDefinition>> = list(definition)
  .check(distinct('value', 'is defined twice'))
  .check(
    always((value, bad) => {
      if (value.some((item) => item?.terminal !== false)) return;
      bad('needs a terminal status: without one nothing ever matches', [], value);
    }),
  )
  .pipe(z.transform((definitions) => new Map(definitions.map((item) => [item.value, item]))));

export const statuses = section(
  'Every status that a record may have. stage: a record moves to the same or a higher stage, never back, except to ' +
    'mayReturnTo at the lowest. terminal: nothing follows, except mayBecome. stuckAfter: the longest stay as a duration, in working ' +
    'days (3wd) or after the end time (endTime+24h); or none; or one for each payment method, beside default. moneyMoved: yes, no, pending or unknown, where the ' +
    'built-in meaning of the status does not fit. A list that is given ' +
    'here replaces the whole default list of that kind.',
  {
    purchase: setting(PURCHASE_STATUSES, statusList, 'Purchases.'),
    sale: setting(SALE_STATUSES, statusList, 'Sales.'),
  },
);

const day: Reader<Instant> = reader('a day such as 2026-01-31', (value) =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseInstant(`${value}T00:00:00Z`) : undefined,
);
export const feeCeilings = setting(
  FEE_CEILINGS,
  list(
    strict({
      methods: optional(list(text('a payment method such as CARD_PAYMENT', /^[A-Z_]{1,64}$/))),
      currencies: optional(list(text('an ISO 4217 code such as EUR', /^[A-Z]{3}$/))),
      percent: decimal('100', 'in percent of the crypto value'),
      from: day,
      to: optional(day),
    }),
  ),
  'The highest fee that the Service charges on a purchase, by method and currency, in percent, from one day until before another. A fee above the published maximum but not above its ceiling is only a remark; the first matching line counts. Where none matches, a fee that equals the quoted one is only a remark too.',
);

const symbol = text('a symbol such as POL', /^[^\s_]{1,32}$/);
export const renamedAssets = setting(
  RENAMED_ASSETS,
  list(
    strict({
      chain: symbol,
      was: symbol,
      now: symbol,
      since: text('a day such as 2026-01-31', /^\d{4}-\d{2}-\d{2}$/),
    }),
  ),
  'Assets that were renamed, with the day. From then on both names are one asset: a coin by its chain, a token by its contract. A list that ' +
    'is given here replaces the default one.',
);
