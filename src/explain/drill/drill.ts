/**
 * The drill: single known changes in copies of a stored night, judged as a replay judges, and which of them were found. Nothing is
 * stored. One pass chooses the records; then one change after the other is planted.
 */
import type { Case } from '../../domain/case.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { entryOf } from '../../domain/entry-of.ts';
import { firstExecuted } from '../../domain/execution.ts';
import type { RecordPosition } from '../../domain/record.ts';
import { type JudgeableRun, type Run, withWatermarks } from '../../domain/run.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import { pagesOf } from '../../ports/store/pages.ts';
import type { HistoryStore, ItemStore, QuoteStore, StoredCase } from '../../ports/store/store.ts';
import { judgeCase } from '../../rules/judge-case.ts';
import { createRuleSet } from '../../rules/rule-set.ts';
import { judgingTerms, type RunTerms } from '../../rules/terms.ts';
import type { BuildCases } from '../recompute.ts';
import { CATALOGUE, type Change } from './catalogue.ts';
import { fits, mayFit } from './fits.ts';
import { readJson } from './json.ts';
import { worthOf } from './money.ts';
import { type DrillReaders, observed, plant, type Subject, withoutQuote } from './plant.ts';

interface DrillStore {
  items: Pick<ItemStore, 'cases' | 'evidence'>;
  history: HistoryStore;
  quotes: Pick<QuoteStore, 'get'>;
}

/** One copy of a record with one change, judged. */
export interface Drilled extends RecordPosition {
  change: Change;
  /** `silent` and `spoke` are of changes below material size. */
  outcome: 'found' | 'missed' | 'silent' | 'spoke';
  /** Codes that spoke of the copy and not of the record. */
  by: readonly string[];
  /** In EUR; null where nothing tells what the record's currency is worth. */
  money: Decimal | null;
}

/** What became of the planted changes. */
export interface DrillResult {
  drilled: readonly Drilled[];
  /** Changes that no record of the night allows. */
  notPossible: readonly Change[];
}

export interface DrillOptions {
  perRule: number;
  seed: number;
  changes?: readonly Change[];
}

/** The door of quotes, among the break codes that speak. */
const IMPORT = 'import';

type Judge = (built: Case) => ReadonlyMap<string, string>;

/** `CODE field` → code of what opens a break: an info finding opens none. */
export function judged(terms: RunTerms, { asOf, survey }: Pick<Run, 'asOf' | 'survey'>): Judge {
  const ruleSet = createRuleSet(terms.rules);
  const judging = judgingTerms(terms, asOf, survey);
  return (built) => {
    const { findings } = judgeCase(built, judging, ruleSet);
    const open = findings.filter(({ severity }) => severity !== 'info');
    return new Map(open.map((each) => [`${each.rule} ${each.field}`, each.rule]));
  };
}

/** @param terms the rules and tolerances to judge by */
export async function drill(
  run: Run,
  terms: RunTerms,
  options: DrillOptions,
  edges: { store: DrillStore; buildCases: BuildCases; readers: DrillReaders },
): Promise<DrillResult> {
  const judgeable = withWatermarks(run);
  const judge = judged(terms, run);
  const build = async (stored: StoredCase) => (await edges.buildCases([stored], judgeable, terms))[0] as Case;
  const { changes = CATALOGUE } = options;
  const sample = await sampleOf(judgeable, changes, options, edges.store.items);
  const drilled: Drilled[] = [];
  const notPossible: Change[] = [];
  const subjects = new Map<string, Promise<Subject | null>>();
  for (const change of changes) {
    const before = drilled.length;
    for (const position of sample.get(change) ?? []) {
      if (drilled.length - before >= options.perRule) break;
      const name = `${position.kind} ${position.recordId}`;
      const subject = await entryOf(subjects, name, () => subjectOf(position, judgeable, edges, build));
      const one = subject === null ? null : await planted(change, subject, run, edges.readers, build, judge);
      if (one !== null) drilled.push(one);
    }
    if (drilled.length === before) notPossible.push(change);
    // Bodies are large; those of another change are mostly other records'.
    if (subjects.size > KEPT) subjects.clear();
  }
  return { drilled, notPossible };
}

const KEPT = 300;

/** Null for a record whose body is not kept, or cannot be read by this version. */
async function subjectOf(
  { kind, recordId }: RecordPosition,
  run: JudgeableRun,
  { store, readers }: { store: DrillStore; readers: DrillReaders },
  build: (stored: StoredCase) => Promise<Case>,
): Promise<Subject | null> {
  const found = await store.history.caseOf(run, kind, recordId);
  if (found === null || found === 'archived' || found.observation.outcome !== 'verified') return null;
  const { snapshot } = found.observation;
  // As received when its price was first seen fixed: later, no market tells what the price was.
  const receivedAt = firstExecuted(found)?.evidence.receivedAt ?? snapshot.evidence.receivedAt;
  const evidence = { ...snapshot.evidence, receivedAt: Math.min(receivedAt, snapshot.evidence.receivedAt) };
  const text = await store.items.evidence(evidence.sha256);
  const read = text === null ? null : readers.body(kind, recordId, text);
  if (text === null || read === null || read.outcome !== 'verified') return null;
  const history = { ...found.history, first: null, firstTerminal: null };
  const stored: StoredCase = { ...found, history, observation: observed(read, evidence) };
  const built = await build(stored);
  const kept = built.quote === null ? null : await store.quotes.get(built.quote.quote.quoteId);
  const exchange = kept === null ? null : { request: readJson(kept.request), response: readJson(kept.response) };
  return { stored, state: stateOf(built) ?? read.state, body: readJson(text), exchange, built };
}

function stateOf({ observation }: Case): RecordState | null {
  return observation.outcome === 'verified' ? observation.snapshot.state : null;
}

/** Null where the change is not possible on the record, or where the record has breaks of its own. */
export async function planted(
  change: Change,
  subject: Subject,
  { asOf }: Pick<Run, 'asOf'>,
  readers: DrillReaders,
  build: (stored: StoredCase) => Promise<Case>,
  judge: Judge,
): Promise<Drilled | null> {
  const { built, state } = subject;
  if (!change.when.every((word) => fits(word, built, state, asOf))) return null;
  const before = judge(change.when.includes('unquoted') ? withoutQuote(built, change) : built);
  if ([...before.values()].some((code) => code !== 'QUOTE_MISSING')) return null;
  const made = plant(change, subject, readers);
  if (made === null) return null;
  const copy = made === 'refused' ? null : made.after(await build(made.stored));
  const by = copy === null ? [IMPORT] : [...judge(copy)].flatMap(([name, code]) => (before.has(name) ? [] : [code]));
  const isFound = change.material ? by.some((code) => change.speaks.includes(code)) : by.length > 0;
  const [yes, no] = change.material ? (['found', 'missed'] as const) : (['spoke', 'silent'] as const);
  const { kind, recordId } = subject.stored;
  return { change, kind, recordId, outcome: isFound ? yes : no, by: [...new Set(by)], money: worthOf(subject, copy) };
}

const PAGE = 500;
/** Of so many records for each that is wanted, some lack what the change needs, or have breaks of their own. */
const SPARE = 12;
const AT_LEAST = 60;

interface Drawn extends RecordPosition {
  rank: number;
}

/** By change, in the order in which they are tried. Only their names are kept, so a night of any length takes no more memory. */
async function sampleOf(
  run: JudgeableRun,
  changes: readonly Change[],
  { perRule, seed }: { perRule: number; seed: number },
  items: Pick<ItemStore, 'cases'>,
): Promise<ReadonlyMap<Change, readonly RecordPosition[]>> {
  const kept = Math.max(AT_LEAST, perRule * SPARE);
  const draws = changes.map((change) => ({ change, salt: hashOf(`${seed} ${change.id}`), drawn: [] as Drawn[] }));
  for await (const page of pagesOf((after) => items.cases(run, after, PAGE))) {
    for (const { kind, recordId, observation } of page) {
      if (observation.outcome !== 'verified') continue;
      const { state } = observation.snapshot;
      const name = hashOf(`${kind} ${recordId}`);
      for (const { change, salt, drawn } of draws) {
        if (change.kind !== null && change.kind !== kind) continue;
        const rank = mixed(name ^ salt);
        const isFull = drawn.length === kept;
        if (isFull && rank >= (drawn.at(-1)?.rank ?? 0)) continue;
        if (!change.when.every((word) => mayFit(word, state, run.asOf))) continue;
        if (isFull) drawn.pop();
        const at = drawn.findIndex((each) => each.rank > rank);
        drawn.splice(at === -1 ? drawn.length : at, 0, { kind, recordId, rank });
      }
    }
  }
  return new Map(draws.map(({ change, drawn }) => [change, drawn]));
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** The finaliser of MurmurHash3: each bit depends on every one. */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
