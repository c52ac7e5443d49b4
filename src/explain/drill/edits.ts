/**
 * The small language in which the catalogue writes its changes, and its arithmetic, which no rule shares:
 *
 *     appliedFee + 0.01 fiatValue; cryptoAmount foots
 *
 * `= JSON` sets a field, `drop` leaves it out, `* N` multiplies it, `+ N [PATH]` adds N (times another field), `at PATH ±Nh` is so many
 * hours from another date, `flip` changes one digit in its middle, `upper` and `lower` its case, `text` and `number` its type, and `foots`
 * makes the amount that it should be by the other fields of the body.
 */
import { Decimal } from '../../domain/decimal.ts';
import { Exact, type Json, numberAt, readJson, valueAt, withValue, writeJson } from './json.ts';

/** Digits of quotients. */
const PLACES = 18;

/** The changed body; null where it lacks what the change is about, or would be the same. */
export function edited(body: Json, edits: string): Json | null {
  let changed: Json | null = body;
  for (const edit of edits.split('; ')) changed = changed === null ? null : editedOnce(changed, edit);
  return changed === null || writeJson(changed) === writeJson(body) ? null : changed;
}

/** Where an edit is about a field that the body may lack all the same, such as one that the specification does not have. */
function editedOnce(body: Json, edit: string): Json | null {
  const [path = '', op = '', ...args] = edit.split(' ');
  const was = valueAt(body, path);
  const written = args.join(' ');
  if (op === '=') return withValue(body, path, readJson(written));
  if (was === undefined) return null;
  const value = op === 'drop' ? undefined : changedValue(body, path, was, op, args);
  return value === null ? null : withValue(body, path, value);
}

function changedValue(body: Json, path: string, was: Json, op: string, args: readonly string[]): Json | null {
  const number = numberAt(body, path);
  switch (op) {
    case '*':
      return number === null ? null : likewise(was, number.times(Decimal.parse(args[0] ?? '')));
    case '+': {
      const times = args[1] === undefined ? Decimal.ONE : numberAt(body, args[1]);
      if (number === null || times === null) return null;
      return likewise(was, number.plus(Decimal.parse(args[0] ?? '').times(times)));
    }
    case 'foots': {
      const amount = footing(body, path);
      return amount === null ? null : likewise(was, amount);
    }
    case 'at':
      return hoursFrom(valueAt(body, args[0] ?? ''), args[1] ?? '');
    case 'flip':
      return typeof was === 'string' ? flipped(was) : null;
    case 'upper':
      return typeof was === 'string' ? was.toUpperCase() : null;
    case 'lower':
      return typeof was === 'string' ? was.toLowerCase() : null;
    case 'text':
      return was instanceof Exact ? was.text : null;
    case 'number':
      return number === null ? null : new Exact(number.toString());
    default:
      throw new RangeError(`the catalogue has an unknown edit: ${op}`);
  }
}

/** Units stay whole and in a string, amounts stay numbers or strings as they were. */
function likewise(was: Json, value: Decimal): Json {
  if (was instanceof Exact) return new Exact(value.rounded(PLACES).toString());
  return typeof was === 'string' && /^\d+$/.test(was) ? value.rounded(0).toString() : value.rounded(PLACES).toString();
}

/** What an amount of a purchase (or a sale with its rate and fee) must be by the other fields: the total is the tokens' value and the fee. */
function footing(body: Json, path: string): Decimal | null {
  const isSale = path.startsWith('crypto.') || path.startsWith('fiat.') || path === 'exchangeRate';
  const names = isSale
    ? ['fiat.amount', 'fees.amount', 'crypto.amount', 'exchangeRate', 'crypto.assetInfo.decimals']
    : ['fiatValue', 'appliedFee', 'cryptoAmount', 'assetExchangeRate', 'asset.decimals'];
  const [ofTotal, , , ofRate] = names;
  const [fiat, fee, units, rate, decimals] = names.map((name) => numberAt(body, name));
  if (fiat == null || fee == null || units == null || rate == null || decimals == null || rate.isZero) return null;
  const places = Number(decimals.toString());
  const tokens = units.times(Decimal.of(1n, places));
  const value = isSale ? fiat.plus(fee) : fiat.minus(fee);
  // A fee above the whole payment leaves no amount that a body can have.
  if (value.isNegative) return null;
  if (path === ofTotal) return isSale ? tokens.times(rate).minus(fee) : tokens.times(rate).plus(fee);
  if (path === ofRate) return tokens.isZero ? null : value.dividedBy(tokens, PLACES);
  return value.times(Decimal.of(10n ** BigInt(places))).dividedBy(rate, 0);
}

function hoursFrom(date: Json | undefined, hours: string): Json | null {
  if (typeof date !== 'string') return null;
  return new Date(Date.parse(date) + Number.parseFloat(hours) * 3_600_000).toISOString();
}

/** Another address, or hash, of the same form. */
function flipped(text: string): string | null {
  const at = text.slice(Math.floor(text.length / 2)).search(/[2-8]/) + Math.floor(text.length / 2);
  const digit = text[at];
  if (digit === undefined || !/[2-8]/.test(digit)) return null;
  return `${text.slice(0, at)}${Number(digit) + 1}${text.slice(at + 1)}`;
}
