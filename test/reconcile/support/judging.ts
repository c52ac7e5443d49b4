/** A judged night in memory: stored cases, standing breaks and quotes as a test writes them, handed out page by page. */

import type { Break } from '../../../src/domain/break.ts';
import type { Observation } from '../../../src/domain/case.ts';
import type { CapturedWanted } from '../../../src/domain/match-quote.ts';
import type { MatchedQuote, Quote } from '../../../src/domain/quote.ts';
import type { RecordPosition } from '../../../src/domain/record.ts';
import type { ReferenceAsOf } from '../../../src/domain/reference.ts';
import type { JudgeableRun, Run } from '../../../src/domain/run.ts';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import type { MoveStore, ReferenceWanted, StatusChange, StoredCase } from '../../../src/ports/store/store.ts';
import type { JudgeStore } from '../../../src/reconcile/judge.ts';
import { freezeTerms, type RunTerms } from '../../../src/rules/terms.ts';
import { aRun as anyRun } from '../../support/a-run.ts';
import {
  aMatchedQuote,
  aPurchase,
  aSnapshot,
  at,
  FIRST_NIGHT,
  INDICATIVE,
  MINUTES,
  STATUSES,
  someFacts,
  someReference,
  someTolerances,
} from '../../support/builders.ts';

/** All rules at their own severities; captured quotes count from 30 minutes before to 10 after. */
export function someRunTerms(overrides: Partial<RunTerms> = {}): RunTerms {
  return {
    timezone: 'UTC',
    statuses: STATUSES,
    tolerances: someTolerances(),
    rules: {},
    binding: INDICATIVE,
    window: { before: 30 * MINUTES, after: 10 * MINUTES },
    identifierName: 'Service',
    feeCeilings: [],
    deliveries: null,
    prices: null,
    ...overrides,
  };
}

/** The night after the default purchase, ready to be judged. */
export function aRun(overrides: Partial<Run> = {}): JudgeableRun {
  return {
    ...anyRun({
      runId: 'nightly-2026-11-02-r1',
      businessDate: '2026-11-02',
      state: 'judging',
      timezone: 'Europe/Paris',
      startedAt: at('2026-11-02 04:15'),
      asOf: at('2026-11-02 23:00'),
      terms: freezeTerms(someRunTerms()),
      codeVersion: '1.0.0',
      ...overrides,
    }),
    watermarks: overrides.watermarks ?? { quote: 3, reference: 5, breakEvent: 7, evidence: null },
  };
}

export interface StoredOverrides extends Partial<Omit<StoredCase, 'kind' | 'recordId'>> {
  /** The verified body; the default purchase unless said otherwise. */
  state?: RecordState;
}

/** The default purchase as it was stored: verified, and promised by a linked quote. */
export function aStoredCase(overrides: StoredOverrides = {}): StoredCase {
  const { state = aPurchase(), ...rest } = overrides;
  return {
    recordKey: 1,
    kind: state.kind,
    recordId: state.recordId,
    tracked: someFacts(),
    observation: { outcome: 'verified', snapshot: aSnapshot(state) },
    attempts: 1,
    history: FIRST_NIGHT,
    linked: aLinkedQuote(),
    ...rest,
  };
}

/** The quote that the application named, as the store hands it over. */
export function aLinkedQuote(overrides: Partial<Omit<MatchedQuote, 'basis'>> = {}): Omit<MatchedQuote, 'basis'> {
  const { basis: _basis, ...linked } = aMatchedQuote();
  return { ...linked, ...overrides };
}

export const MISSING: Observation = {
  outcome: 'unreachable',
  reason: 'RECORD_MISSING',
  httpStatus: 404,
  errorCode: null,
  at: at('2026-11-02 04:15'),
};

/** Keeps nothing. */
export const NO_MOVES: MoveStore = {
  keep: async () => {},
  pages: async function* () {},
  forget: async () => {},
};

export const DEFERRED: Observation = { outcome: 'deferred', reason: 'not reached' };

export interface Night {
  /** In report order. */
  cases?: readonly StoredCase[];
  /** Breaks standing on records of the run, by record key. */
  standing?: ReadonlyMap<number, readonly Break[]>;
  /** Breaks standing elsewhere, in report order. */
  outside?: readonly (Break & { hostReference: string | null })[];
  statusChanges?: readonly StatusChange[];
  captured?: readonly Quote[];
  /** Fresh quotes by the id under which they were asked for. */
  requoted?: ReadonlyMap<string, Quote>;
  /** Of all of them. */
  request?: string;
  reference?: (wanted: ReferenceWanted) => ReferenceAsOf;
  /** Records a page. */
  page?: number;
}

/** The look-ups, in order. */
export interface Asked {
  captured: { wanted: readonly CapturedWanted[]; watermark: number }[];
  requoted: string[];
  reference: { wanted: readonly ReferenceWanted[]; watermark: number }[];
  standing: { keys: readonly number[]; watermark: number }[];
  outside: { runId: string; watermark: number; after: RecordPosition | null; upTo: RecordPosition | null }[];
  statusChanges: { runId: string; from: RecordPosition; to: RecordPosition }[];
}

const keyOf = ({ kind, recordId }: Pick<Break, 'kind' | 'recordId'>) => `${kind} ${recordId}`;
const isWithin = (each: Pick<Break, 'kind' | 'recordId'>, after: RecordPosition | null, upTo: RecordPosition | null) =>
  (after === null || keyOf(each) > keyOf(after)) && (upTo === null || keyOf(each) <= keyOf(upTo));

export function aJudgeStore(night: Night = {}): { store: JudgeStore; asked: Asked } {
  const { cases = [], standing = new Map(), outside = [], statusChanges = [], captured = [], page = 250 } = night;
  const asked: Asked = { captured: [], requoted: [], reference: [], standing: [], outside: [], statusChanges: [] };
  const store: JudgeStore = {
    items: {
      cases: async (_run, after, limit) =>
        cases.filter((each) => isWithin(each, after, null)).slice(0, Math.min(limit, page)),
      statusChanges: async (runId, from, to) => {
        const { kind, recordId } = from;
        asked.statusChanges.push({ runId, from: { kind, recordId }, to: { kind: to.kind, recordId: to.recordId } });
        return statusChanges.filter((each) => keyOf(each) >= keyOf(from) && isWithin(each, null, to));
      },
    },
    evidence: { deliveries: async () => new Map() },
    breaks: {
      standing: async (keys, watermark) => {
        asked.standing.push({ keys, watermark });
        return new Map(keys.flatMap((key) => (standing.has(key) ? [[key, standing.get(key) ?? []] as const] : [])));
      },
      statusOn: async (kind) => outside.filter((each) => each.kind === kind),
      standingOutside: async (runId, watermark, after, upTo) => {
        const place = (each: RecordPosition | null) =>
          each === null ? null : { kind: each.kind, recordId: each.recordId };
        asked.outside.push({ runId, watermark, after: place(after), upTo: place(upTo) });
        return outside.filter((each) => isWithin(each, after, upTo));
      },
    },
    quotes: {
      captured: async (wanted, watermark) => {
        asked.captured.push({ wanted, watermark });
        return wanted.map(({ from, to }) =>
          captured.filter(({ capturedAt }) => capturedAt >= from && capturedAt <= to),
        );
      },
      seen: async (wanted) => wanted.map(() => ({ prices: null, networkFees: null })),
      get: async (quoteId) => {
        asked.requoted.push(quoteId);
        const quote = night.requoted?.get(quoteId);
        return quote === undefined ? null : { quote, request: night.request ?? '{}', response: '{}' };
      },
      requests: async (ids) => {
        const known = ids.filter((id) => night.requoted?.has(id) === true);
        return new Map(known.map((id) => [id, night.request ?? '{}']));
      },
    },
    reference: {
      asOf: async (wanted, watermark) => {
        asked.reference.push({ wanted, watermark });
        return wanted.map((each) => night.reference?.(each) ?? someReference());
      },
      published: async (wanted) => wanted.map(() => []),
    },
  };
  return { store, asked };
}
