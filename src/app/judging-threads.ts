/**
 * Judges a run on several cores. Ranges of its records are judged and rendered in threads, each over a read connection of its
 * own; this thread takes what they answer in report order, so the bytes are those of one thread.
 */
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { EXIT, type ExitCode, TieoutError } from '../domain/errors.ts';
import type { RecordPosition } from '../domain/record.ts';
import { type JudgeableRun, type Run, withWatermarks } from '../domain/run.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import type { Store } from '../ports/store/store.ts';
import type { RangeSettings } from '../publish/rendered-range.ts';
import type { RecordRange } from '../reconcile/judge.ts';
import { type JudgedPart, type JudgedParts, type JudgedRange, judgeHere, partOf } from '../reconcile/judged-parts.ts';
import { thawRun } from '../reconcile/run-book.ts';
import { pluginFiles } from './plugins.ts';
import { printCheckOf } from './reports-of-run.ts';
import { marketPart, revenuePart } from './revenue.ts';
import { codeVersion } from './version.ts';

/** Records in a range: enough that a range costs more than handing it over, few enough that its text fits in memory. */
const RANGE = 2500;
/**
 * With fewer records threads bring nothing: each loads and warms up the program for itself. A replay of 30,000 took 2.7 s of processor time and
 * 190 MB in one thread, 3.7 s and 330 MB in two.
 */
const WORTH_A_THREAD = 40_000;
/** Ranges under way for each thread, so that none waits while this one writes. */
const AHEAD = 2;
/**
 * Half of the young generation of a thread that is in use, in megabytes: with the few that a heap begins with, most of the time
 * goes to collecting garbage. A limit on the thread's heap is not set: V8 then begins with a small old generation, and a replay
 * of 300,000 records marked the heap 40 times instead of 16, beside other load for a sixth more processor time.
 */
const SEMI_SPACE_MB = 8;

interface JudgingOptions {
  store: Store;
  databaseUrl: string;
  /** `auto` is one for each core, and one alone for a small run. */
  threads: number | 'auto';
  /** Names of the reports to render; none for a run that publishes nothing. */
  reports: readonly string[];
  rendering: RangeSettings;
  /** Whether the caller stages the events of the breaks; without it they are not copied between threads. */
  stages: boolean;
  /** Each record is printed to nowhere first, and quarantined where that fails. */
  eachIsPrinted?: boolean;
}

/** What a thread is started with. */
export interface JudgingOrder extends Omit<JudgingOptions, 'store' | 'threads'> {
  runId: string;
  /** Files of the plugins in use. */
  plugins: readonly string[];
  /** Of the code that judges, with the plugins. */
  version: string;
}

/** `notPrinted`: the record that no report can print. */
export type RangeResult =
  | { judged: JudgedRange }
  | { failed: { message: string; exitCode: ExitCode; notPrinted: RecordPosition | null } };

/** A thread ended with an error; its message says which. */
class JudgingThreadError extends TieoutError {
  override readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = EXIT.unavailable) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** In report order. Databases in memory are judged here: no other connection can see them. */
export async function* judgeRun(run: Run, options: JudgingOptions): JudgedParts {
  const { store, databaseUrl, threads } = options;
  yield* marketPart(withWatermarks(run), store);
  yield* revenuePart(withWatermarks(run), store);
  const { planned } = await store.items.progress(run.runId);
  const cores = planned < WORTH_A_THREAD ? 1 : availableParallelism();
  const size = threads === 'auto' ? cores : Math.min(threads, planned);
  if (size <= 1 || databaseUrl.endsWith(':memory:')) yield* judgeHere(thawRun(run), store, printCheckOf(run, options));
  else yield* judgeInThreads(withWatermarks(run), size, Math.min(RANGE, Math.ceil(planned / size)), options);
}

async function* judgeInThreads(
  run: JudgeableRun,
  threads: number,
  rangeSize: number,
  options: JudgingOptions,
): AsyncGenerator<JudgedPart> {
  const { store, threads: _, ...order } = options;
  await using pool = openPool(threads, { ...order, runId: run.runId, plugins: pluginFiles(), version: codeVersion() });
  const underWay: Promise<JudgedRange>[] = [];
  const ranges = rangesOf(run, store, rangeSize);
  for (let isMore = true; isMore || underWay.length > 0; ) {
    while (isMore && underWay.length < threads * AHEAD) {
      const next = await ranges.next();
      isMore = !next.done;
      if (!next.done) underWay.push(pool.judge(next.value));
    }
    const first = underWay.shift();
    if (first !== undefined) yield partOf(await first);
  }
}

/** The last range is open at its end: breaks on records outside the run may come after its last record. */
async function* rangesOf({ runId }: Run, store: Store, size: number): AsyncGenerator<RecordRange> {
  for (let after: RecordRange['after'] = null; ; ) {
    const upTo = await store.items.positionAfter(runId, after, size);
    yield { after, upTo };
    if (upTo === null) return;
    after = upTo;
  }
}

interface Waiting {
  range: RecordRange;
  resolve: (judged: JudgedRange) => void;
  reject: (error: Error) => void;
}

function openPool(size: number, order: JudgingOrder) {
  const queue: Waiting[] = [];
  const working = new Map<Worker, Waiting>();
  let failure: Error | null = null;

  const handOut = () => {
    while (failure === null) {
      const [thread, waiting] = [idle[0], queue[0]];
      if (thread === undefined || waiting === undefined) return;
      idle.shift();
      queue.shift();
      working.set(thread, waiting);
      thread.postMessage(waiting.range);
    }
    for (const { reject } of queue.splice(0)) reject(failure);
  };

  const fail = (error: unknown) => {
    failure ??= error instanceof Error ? error : new JudgingThreadError(String(error));
    for (const { reject } of working.values()) reject(failure);
    working.clear();
    handOut();
  };

  const answered = (thread: Worker, answer: RangeResult) => {
    const waiting = working.get(thread);
    working.delete(thread);
    if ('failed' in answer) {
      const { message, exitCode, notPrinted } = answer.failed;
      const failed =
        notPrinted === null
          ? new JudgingThreadError(message, exitCode)
          : new RecordNotPrintedError(notPrinted, new Error(message));
      waiting?.reject(failed);
      fail(failed);
      return;
    }
    waiting?.resolve(answer.judged);
    idle.push(thread);
    handOut();
  };

  // Read where a heap is made: a thread's young generation begins at its full size instead of growing into it.
  setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`);
  // Sources run as they are in a checkout; a package has the build.
  const entry = new URL(`./judging-thread${extname(import.meta.url)}`, import.meta.url);
  // A thread starts without a compile cache, and would compile the program again.
  const cache = getCompileCacheDir();
  const compiled = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(entry, { workerData: order, env: { ...process.env, ...compiled } });
    thread.on('message', (answer: RangeResult) => answered(thread, answer));
    thread.on('error', fail);
    // After an error this changes nothing; without one its range would be awaited for ever.
    thread.on('exit', (code) => fail(new JudgingThreadError(`a judging thread ended with ${code}`)));
    return thread;
  });
  const idle = [...threads];

  return {
    judge(range: RecordRange): Promise<JudgedRange> {
      const judged = new Promise<JudgedRange>((resolve, reject) => queue.push({ range, resolve, reject }));
      // Handled where it is awaited; ranges behind a failed one are never awaited.
      judged.catch(() => undefined);
      handOut();
      return judged;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(threads.map((thread) => thread.terminate()));
    },
  };
}
