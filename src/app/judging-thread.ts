/** The thread of `judging-threads.ts`: judges and renders each range it is sent, over a read connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { exitCodeOf } from '../domain/errors.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import { memoryOf, rangeRenderer } from '../publish/rendered-range.ts';
import type { RecordRange } from '../reconcile/judge.ts';
import { judgeRange } from '../reconcile/judged-parts.ts';
import { thawRun } from '../reconcile/run-book.ts';
import { JUDGING_CACHE_KIB, openStore } from '../store/open.ts';
import type { JudgingOrder, RangeResult } from './judging-threads.ts';
import { ChangedPluginError, usePlugins } from './plugins.ts';
import { printCheckOf, reportsOf } from './reports-of-run.ts';
import { codeVersion } from './version.ts';

const order = workerData as JudgingOrder;
const port = parentPort;

async function prepare() {
  await usePlugins(order.plugins, '.');
  if (codeVersion() !== order.version)
    throw new ChangedPluginError('the program or a plugin was changed while its run was judged');
  const { store } = await openStore({ url: order.databaseUrl, sealer: null, cacheKib: JUDGING_CACHE_KIB });
  const run = await store.runs.get(order.runId);
  if (run === null) throw new Error(`run ${order.runId} is gone from the database`);
  const { runId, businessDate, timezone } = run;
  const reports = reportsOf(run).filter(({ definition }) => order.reports.includes(definition.name));
  const tryPrinting = printCheckOf(run, order);
  return { store, thawed: thawRun(run), facts: { runId, businessDate, timezone }, reports, tryPrinting };
}

const prepared = prepare();
// Its failure is the answer to each range.
prepared.catch(() => undefined);

async function answer(range: RecordRange): Promise<void> {
  try {
    const { store, thawed, facts, reports, tryPrinting } = await prepared;
    const renderer = rangeRenderer(reports, facts, order.rendering);
    const { tally, events } = await judgeRange(thawed, store, range, (page) => renderer.write(page), tryPrinting);
    const rendered = renderer.rendered();
    port?.postMessage(
      { judged: { tally, events: order.stages ? events : [], rendered } } satisfies RangeResult,
      memoryOf(rendered),
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const notPrinted = error instanceof RecordNotPrintedError ? error.record : null;
    port?.postMessage({ failed: { message, exitCode: exitCodeOf(error), notPrinted } } satisfies RangeResult);
  }
}

port?.on('message', (range: RecordRange) => void answer(range));
