/**
 * A price list from YAML. Every problem is reported with its line: values that no line can have, lines that could
 * both hold for one record, and gaps between versions, dates and bands of amounts, where a record would have no price
 * by accident.
 */
import { z } from 'zod';
import { addDays, isBusinessDate, isTimezone, startOfBusinessDate } from '../../domain/calendar.ts';
import { minorUnitDigits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { PriceLine, PriceList, PriceVersion } from '../../domain/price-list.ts';
import { KINDS } from '../../domain/record.ts';
import { shortened, visible } from '../../text/visible.ts';
import { bandGaps, overlap } from './lines.ts';

/** A YAML file as config/yaml-file.ts reads it: scalars as their texts. */
interface PriceFile {
  tree: unknown;
  lineOf: (path: readonly (string | number)[]) => number | undefined;
}

/** Why a line of the file was refused. */
export interface PriceProblem {
  /** Counted from 1; null where it is about the whole file. */
  line: number | null;
  message: string;
}

const AMOUNT = z
  .string({ error: 'a number' })
  .regex(/^\d{1,40}(?:\.\d{1,40})?$/, { error: 'a number such as 2.49, not negative' })
  .transform((text) => Decimal.parse(text));
const DATE = z.string({ error: 'a date' }).refine(isBusinessDate, { error: 'a date such as 2026-01-01' });
/** One value, or a list of them. */
const several = (each: z.ZodType<string>) =>
  z
    .union([each.transform((one) => [one]), z.array(each).min(1, { error: 'left out, or at least one value' })])
    .nullish();
const matching = (form: RegExp, error: string) => z.string({ error }).regex(form, { error });

const PLACE = z.enum(['on-top', 'included'], { error: 'on-top or included' }).nullish();

const FEE = z.strictObject({
  default: z.literal('true', { error: 'true' }).nullish(),
  kind: several(z.enum(KINDS, { error: 'purchase or sale' })),
  method: several(matching(/^[A-Z][A-Z0-9_]{1,63}$/, 'a method as records name it, such as CARD_PAYMENT')),
  currency: several(
    z.string().refine((code) => minorUnitDigits(code) !== undefined, { error: 'an ISO 4217 code such as EUR' }),
  ),
  country: several(matching(/^[A-Za-z]{2}$/, 'an ISO 3166-1 code such as DE')),
  asset: several(matching(/^[A-Z0-9]+_[A-Za-z0-9._-]+$/, 'an asset with its chain, such as ETH_USDC')),
  amount: z.strictObject({ from: AMOUNT.nullish(), to: AMOUNT.nullish() }).nullish(),
  date: z.strictObject({ from: DATE.nullish(), to: DATE.nullish() }).nullish(),
  percent: AMOUNT.nullish(),
  fixed: AMOUNT.nullish(),
  minimum: AMOUNT.nullish(),
  maximum: AMOUNT.nullish(),
  networkFee: PLACE,
  hostFee: PLACE,
});

const FILE = z.strictObject({
  name: z.string({ error: 'a name' }).min(1).max(100),
  timezone: z.string().nullish(),
  versions: z
    .array(
      z.strictObject({
        version: z.string({ error: 'a name' }).min(1).max(64),
        from: DATE,
        to: DATE.nullish(),
        fees: z.array(FEE, { error: 'a list of fees' }).min(1, { error: 'a list of fees' }),
      }),
      { error: 'a list of versions' },
    )
    .min(1, { error: 'a list of versions' }),
});

type WrittenFee = z.output<typeof FEE>;

/** The list, or everything that is wrong with it. */
export function readPriceList({ tree, lineOf }: PriceFile): PriceList | { problems: readonly PriceProblem[] } {
  const read = FILE.safeParse(tree, { reportInput: true });
  const at = (path: readonly PropertyKey[]) => nearestLine(lineOf, path);
  if (!read.success) {
    return {
      problems: read.error.issues.map((issue) => ({ line: at(issue.path), message: inWords(issue) })).sort(byLine),
    };
  }
  const { name, versions, timezone } = read.data;
  const zone = timezone ?? 'UTC';
  if (!isTimezone(zone)) return { problems: [{ line: at(['timezone']), message: `timezone ${zone}: is not known` }] };
  const dayOf = (date: string) => startOfBusinessDate(date, zone);
  const problems: PriceProblem[] = [];
  const list = versions.map(({ version, from, to, fees }, v): PriceVersion & { at: number | null } => {
    const line = at(['versions', v]);
    const complain = (message: string) => problems.push({ line, message: `version ${version}: ${message}` });
    if (to != null && to <= from) complain(`to ${to} is not after from ${from}`);
    const before = versions[v - 1];
    if (before !== undefined) {
      if (before.to == null || before.to > from) complain(`begins on ${from}, before version ${before.version} ends`);
      else if (before.to < from) complain(`${before.to} to ${addDays(from, -1)} is in no version`);
    }
    if (versions.findIndex((each) => each.version === version) !== v) complain('is named twice');
    const lines = fees.map((fee, f) => {
      const own = at(['versions', v, 'fees', f]) ?? 0;
      problems.push(...faultsOf(fee).map((message) => ({ line: own, message })));
      return lineOfFee(fee, own, dayOf);
    });
    return { version, from: dayOf(from), to: to == null ? null : dayOf(to), lines, at: line };
  });
  if (problems.length === 0) for (const { lines } of list) problems.push(...faultsAmong(lines));
  if (problems.length > 0) return { problems: problems.sort(byLine) };
  return { name, versions: list.map(({ at: _line, ...version }) => version) };
}

const byLine = (a: PriceProblem, b: PriceProblem) => (a.line ?? 0) - (b.line ?? 0);

/** The line of the value; where it has none, of the mapping that it is in. */
function nearestLine(lineOf: PriceFile['lineOf'], path: readonly PropertyKey[]): number | null {
  const known = path.filter((part) => typeof part !== 'symbol');
  for (let length = known.length; length > 0; length--) {
    const line = lineOf(known.slice(0, length));
    if (line !== undefined) return line;
  }
  return null;
}

function inWords(issue: z.core.$ZodIssue): string {
  const name = issue.path.filter((part) => typeof part === 'string').at(-1);
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: there is no such entry`;
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().at(0)?.message : undefined;
  const found = typeof issue.input === 'string' ? ` (found ${shortened(visible(issue.input))})` : '';
  return `${String(name ?? 'the file')}: must be ${inner ?? issue.message}${found}`;
}

const PREDICATES = ['kind', 'method', 'currency', 'country', 'asset', 'amount', 'date'] as const;

function faultsOf(fee: WrittenFee): string[] {
  const faults: string[] = [];
  const { percent, fixed, minimum, maximum, amount, date, currency } = fee;
  if (percent == null && fixed == null) faults.push('has neither percent nor fixed: it names no fee');
  if (minimum != null && maximum != null && minimum.greaterThan(maximum)) faults.push('minimum is above maximum');
  if (amount?.to != null && !amount.to.greaterThan(amount.from ?? Decimal.ZERO))
    faults.push('amount: to is not above from');
  if (date?.from != null && date.to != null && date.to <= date.from) faults.push('date: to is not after from');
  const money = [fixed, minimum, maximum].some((each) => each != null && !each.isZero) || amount != null;
  if (money && currency?.length !== 1) faults.push('names amounts of money, and so must name their one currency');
  const named = PREDICATES.filter((name) => fee[name] != null);
  if (fee.default != null && named.some((name) => name !== 'currency'))
    faults.push(`is the default for all other records, and so cannot ask for ${named.join(', ')}`);
  if (fee.default == null && named.length === 0)
    faults.push('asks for nothing: write default: true if it holds for all others');
  return faults;
}

function lineOfFee(fee: WrittenFee, line: number, dayOf: (date: string) => number): PriceLine {
  const { amount, date } = fee;
  return {
    line,
    isDefault: fee.default != null,
    kinds: fee.kind ?? null,
    methods: fee.method ?? null,
    currencies: fee.currency ?? null,
    countries: fee.country?.map((each) => each.toLowerCase()) ?? null,
    assets: fee.asset ?? null,
    amount: amount == null ? null : { from: amount.from ?? Decimal.ZERO, to: amount.to ?? null },
    dates:
      date == null
        ? null
        : { from: date.from == null ? null : dayOf(date.from), to: date.to == null ? null : dayOf(date.to) },
    percent: fee.percent ?? Decimal.ZERO,
    fixed: fee.fixed ?? Decimal.ZERO,
    minimum: fee.minimum ?? null,
    maximum: fee.maximum ?? null,
    networkFee: fee.networkFee ?? 'on-top',
    hostFee: fee.hostFee ?? 'on-top',
  };
}

function faultsAmong(lines: readonly PriceLine[]): PriceProblem[] {
  const problems: PriceProblem[] = [];
  for (const [index, line] of lines.entries()) {
    const earlier = lines.slice(0, index).find((other) => overlap(line, other));
    if (earlier !== undefined)
      problems.push({ line: line.line, message: `overlaps line ${earlier.line}: a record could have both prices` });
  }
  return [...problems, ...bandGaps(lines)];
}
