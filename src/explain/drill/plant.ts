/** A change planted in a copy of a record: of its body, its quote, or the listings of its time. Nothing of it is stored. */
import type { Case, Observation, QuarantineReason } from '../../domain/case.ts';
import { Decimal } from '../../domain/decimal.ts';
import { NO_MARKET } from '../../domain/market.ts';
import type { Quote } from '../../domain/quote.ts';
import type { Kind } from '../../domain/record.ts';
import type {
  AssetTerms,
  CurrencyTerms,
  GlobalTerms,
  Listed,
  MethodTerms,
  ReferenceAsOf,
} from '../../domain/reference.ts';
import type { Drift, RecordState } from '../../domain/snapshot.ts';
import type { StoredCase } from '../../ports/store/store.ts';
import type { Change } from './catalogue.ts';
import { edited } from './edits.ts';
import { Exact, isObject, type Json, type JsonObject, valueAt, writeJson } from './json.ts';

/** What a body says, or why it cannot be read. */
export type ReadBody =
  | { outcome: 'verified'; state: RecordState }
  | { outcome: 'quarantined'; reason: QuarantineReason; detail: string; drift: readonly Drift[] };

/** How bodies and quotes are read: as those of the Service. */
export interface DrillReaders {
  body: (kind: Kind, recordId: string, text: string) => ReadBody;
  /** Null where it is refused. */
  quote: (like: Quote, request: string, response: string) => Quote | null;
  /** Of `base<Name>Fee`. */
  identifierName: string;
}

/** A record of the night, read again from its kept body, as if it had never been seen before. */
export interface Subject {
  stored: StoredCase;
  state: RecordState;
  body: Json;
  /** Of the quote that it is held against; null without one. */
  exchange: { request: Json; response: Json } | null;
  built: Case;
}

/** `stored`: still to be built into a case. `refused`: the quote does not come in. Null where the change is not possible. */
export type Planted = { stored: StoredCase; after: (built: Case) => Case } | 'refused' | null;

const AS_BUILT = (built: Case) => built;

export function plant(change: Change, subject: Subject, readers: DrillReaders): Planted {
  switch (change.in) {
    case 'quote':
      return plantInQuote(change, subject, readers);
    case 'listings':
      return plantInListings(change, subject);
    default:
      return plantInBody(change, subject, readers);
  }
}

function plantInBody(change: Change, { stored, body }: Subject, readers: DrillReaders): Planted {
  const changed = edited(body, named(change.edits, readers));
  const { observation } = stored;
  if (changed === null || observation.outcome !== 'verified') return null;
  const read = readers.body(stored.kind, stored.recordId, writeJson(changed));
  const { snapshot } = observation;
  const after = change.when.includes('unquoted') ? (built: Case) => withoutQuote(built, change) : AS_BUILT;
  const history = change.in === 'seen body' ? seenBefore(stored) : stored.history;
  // The changed body may name another method than the one that was read with the quote.
  const linked = stored.linked === null ? null : { ...stored.linked, method: null };
  return { stored: { ...stored, history, linked, observation: observed(read, snapshot.evidence) }, after };
}

type Evidence = Extract<Observation, { outcome: 'verified' }>['snapshot']['evidence'];

export function observed(read: ReadBody, evidence: Evidence): Observation {
  if (read.outcome === 'verified') return { outcome: 'verified', snapshot: { state: read.state, evidence } };
  return { ...read, httpStatus: 200, sha256: evidence.sha256, at: evidence.receivedAt };
}

const DAY = 86_400_000;

/** The stored body, a day earlier; by then it had ended where it says so. */
function seenBefore({ history, observation }: StoredCase): StoredCase['history'] {
  if (observation.outcome !== 'verified') return history;
  const { state, evidence } = observation.snapshot;
  const first = { state, evidence: { ...evidence, receivedAt: evidence.receivedAt - DAY } };
  return { ...history, first, firstTerminal: first };
}

/** The market is read from the listings too, so a change of these removes it. */
export function withoutQuote(built: Case, { in: changedIn }: Pick<Change, 'in'>): Case {
  return { ...built, quote: null, market: changedIn === 'listings' ? NO_MARKET : built.market };
}

function plantInQuote({ edits }: Change, { stored, state, exchange, built }: Subject, readers: DrillReaders): Planted {
  const { quote } = built;
  if (exchange === null || quote === null) return null;
  const method = wireMethod(exchange.response, state.paymentMethod ?? quote.method?.method ?? null);
  if (method === null && edits.includes('METHOD')) return null;
  const changed = edited(exchange as unknown as JsonObject, named(edits, readers).replaceAll('METHOD', method ?? ''));
  if (changed === null || !isObject(changed)) return null;
  const read = readers.quote(quote.quote, writeJson(changed.request ?? null), writeJson(changed.response ?? null));
  if (read === null) return 'refused';
  const own = read.methods.find((each) => each.method === (state.paymentMethod ?? quote.method?.method)) ?? null;
  // As if the app had named the quote: whether another one would be found instead is not the question.
  return { stored: { ...stored, linked: { quote: read, method: own, ageSeconds: quote.ageSeconds } }, after: AS_BUILT };
}

/** The key of a method in a v3 response, which may be an old name of it. */
function wireMethod(response: Json, method: string | null): string | null {
  if (method === null || !isObject(response)) return null;
  return Object.hasOwn(response, method) ? method : null;
}

function named(edits: string, { identifierName }: DrillReaders): string {
  return edits.replaceAll('baseServiceFee', `base${identifierName}Fee`);
}

function plantInListings(change: Change, { stored, state, built }: Subject): Planted {
  const isUnquoted = change.when.includes('unquoted');
  const reference = changedReference(built.reference, change.edits, state);
  if (reference === null) return null;
  return { stored, after: (copy) => ({ ...(isUnquoted ? withoutQuote(copy, change) : copy), reference }) };
}

/** The same change in every listing of the record's time; null where none has what it is about. */
function changedReference(reference: ReferenceAsOf, edits: string, state: RecordState): ReferenceAsOf | null {
  let count = 0;
  const change = (part: 'asset' | 'global' | 'method' | 'currency', value: unknown) => {
    const own = edits.split('; ').filter((edit) => edit.startsWith(`${part}.`) || edit.startsWith(`${part} `));
    if (own.length === 0 || value === null || value === undefined) return value;
    const changed = edited({ [part]: asJson(value) }, own.join('; '));
    if (changed === null) return value;
    count++;
    const after = valueAt(changed, part);
    return after === null ? null : asTerms(after as JsonObject, value);
  };
  const methodsAfter = (methods: ReadonlyMap<string, MethodTerms>) =>
    entry(methods, state.paymentMethod ?? '', (each) => change('method', each) as MethodTerms | null);
  const listed = (list: Listed | undefined): Listed | undefined =>
    list && {
      ...list,
      ...(list.assets && {
        assets: {
          ...list.assets,
          asset: change('asset', list.assets.asset) as AssetTerms | null,
          global: change('global', list.assets.global) as GlobalTerms | null,
        },
      }),
      ...(list.methods && { methods: { ...list.methods, byName: methodsAfter(list.methods.byName) } }),
      ...(list.currencies && {
        currencies: {
          ...list.currencies,
          byCode: entry(
            list.currencies.byCode,
            state.fiatCurrency,
            (each) => change('currency', each) as CurrencyTerms,
          ),
        },
      }),
    };
  const [before, after] = [listed(reference.before), listed(reference.after)];
  const changed: ReferenceAsOf = {
    global: change('global', reference.global) as ReferenceAsOf['global'],
    asset: change('asset', reference.asset) as ReferenceAsOf['asset'],
    methods: reference.methods === null ? null : methodsAfter(reference.methods),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  return count === 0 ? null : changed;
}

function entry<T>(map: ReadonlyMap<string, T>, key: string, change: (value: T) => T | null): ReadonlyMap<string, T> {
  const value = map.get(key);
  if (value === undefined) return map;
  const [after, changed] = [change(value), new Map(map)];
  if (after === null) changed.delete(key);
  else changed.set(key, after);
  return changed;
}

/** Terms as JSON: amounts as numbers, units in strings. */
function asJson(terms: unknown): Json {
  if (terms instanceof Decimal) return new Exact(terms.toString());
  if (typeof terms === 'bigint') return terms.toString();
  if (typeof terms === 'number') return new Exact(`${terms}`);
  if (Array.isArray(terms)) return terms.map(asJson);
  if (typeof terms !== 'object' || terms === null) return terms as Json;
  return Object.fromEntries(Object.entries(terms).map(([name, value]) => [name, asJson(value)]));
}

const UNITS = 'minPurchaseCryptoUnits';

/** The terms again, with each field of the type that it has in `like`; one that was null there is an amount. */
function asTerms(json: JsonObject, like: unknown): unknown {
  const of = new Map<string, unknown>(Object.entries(like as object));
  const terms = Object.entries(json).map(([name, value]) => [name, asTerm(name, value, of.get(name))] as const);
  return { ...(like as object), ...Object.fromEntries(terms) };
}

function asTerm(name: string, value: Json, like: unknown): unknown {
  if (value === null || typeof value === 'boolean' || Array.isArray(value)) return value;
  const text = value instanceof Exact ? value.text : String(value);
  if (name === UNITS) return BigInt(text);
  if (typeof like === 'number') return Number(text);
  return typeof like === 'string' ? text : Decimal.parse(text);
}
