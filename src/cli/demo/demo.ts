/** `tieout demo`: Tieout on this machine, with an embedded Service and known defects. */
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DemoWorld } from '../../app/demo.ts';
import type { Score } from '../../app/demo-score.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { packageIfInstalled } from '../../domain/optional-package.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { snakeCase } from '../output.ts';
import { MARKET, share } from '../sandbox/sandbox.ts';
import { type Session, untilStopped } from '../session.ts';
import { writePrivate, writing } from '../write-file.ts';

/** Marks the folder of a demonstration, which the next one may empty. */
const MARK = '.tieout-demo';
const SETTINGS = 'tieout.yaml';
const PRICES = 'prices.yaml';
const STATEMENT = 'statement.csv';

export const register: Register = (program) => {
  command(program, 'demo', {
    details:
      'Needs no settings and no network. The folder of --out (default out/demo) is deleted and created again each time.',
    examples: [
      'tieout demo',
      'tieout demo --serve',
      'tieout demo --chain',
      'tieout demo --records 20000 --defects 0.05 --seed 11',
    ],
  })
    .option('--records <n>', 'number of purchases and sales', positiveNumber, 2000)
    .option('--days <n>', 'days of history', positiveNumber, 30)
    .option('--seed <n>', 'the same seed gives the same history', positiveNumber, 7)
    .option('--defects <share>', 'share of records with a defect', share, 0.03)
    .choice(...MARKET)
    .option('--serve', 'at the end, serve the pages until stopped')
    .option('--plugin <path...>', 'modules of your own, to try: their rules, reports and formats')
    .option('--chain', 'deliver on local chains, and check every delivery against them (in a checkout only)')
    .runs(async (session, flags) => {
      const out = session.flags.out ?? 'out/demo';
      const { openDemoWorld } = await import('../../app/demo.ts');
      const { score } = await import('../../app/demo-score.ts');
      const hasCharts = (await packageIfInstalled(() => import('echarts/core'))) !== null;
      const plugins = (flags.plugin ?? []).map((path) => resolve(path));
      await (await import('../../app/plugins.ts')).usePlugins(plugins, resolve(SETTINGS));
      await prepareFolder(out, hasCharts, plugins);
      const { clock } = session;
      const startedAt = clock.monotonic.now();
      const say = session.out.json ? async () => undefined : (text: string) => session.out.line(text);
      let progress = session.screen.start({ label: 'nightly', total: 0 });
      const world = await openDemoWorld(
        {
          ...flags,
          out,
          configFile: join(out, SETTINGS),
          priceList: join(out, PRICES),
          statementFile: join(out, STATEMENT),
          secretKey: Object.fromEntries(
            Object.entries(session.world.env).filter(
              (each): each is [string, string] => KEY_NAMES.includes(each[0]) && each[1] !== undefined,
            ),
          ),
        },
        {
          clock,
          releasers: session.releasers,
          signal: session.signal,
          onProgress: (observed) => progress.update(observed, counted(observed, 'record')),
        },
      );
      const { paint } = session.out;
      await say(
        paint(
          'bold',
          `Tieout: ${counted(flags.records, 'record')} of ${flags.days} days, ${Math.round(flags.defects * 1000) / 10} % with a defect, seed ${flags.seed}`,
        ),
      );
      await say(`  the Service     ${world.sandbox.url}, embedded, without limits`);
      const { tracked, quotes, payments } = await world.track();
      await say(`  imported        ${counted(tracked, 'id')} with sealed tokens, ${counted(quotes, 'quote')}`);
      const { statement } = world.sandbox;
      if (statement !== null) {
        appendFileSync(join(out, SETTINGS), `evidence: { payouts: { within: ${statement.paidWithinDays}d } }\n`);
        await say(`  statement       ${counted(payments, 'payment')} of the host's revenue`);
      }
      progress = session.screen.start({ label: 'reference data', total: flags.days + 1 });
      const captures = await world.captureMonth((done) => progress.update(done, `day ${done}`));
      progress.stop();
      await say(`  reference data  captured on ${counted(captures, 'day')}`);
      let last: Awaited<ReturnType<typeof world.night>> | null = null;
      for (const night of [1, 2] as const) {
        progress = session.screen.start({ label: `night ${night}`, total: tracked });
        last = await world.night(night);
        progress.stop();
        const { matched, pending, break: broken, unverified, quarantined, waived } = last.tally.verdicts;
        await say(
          `  night ${last.run.businessDate}  ${counted(last.tally.population, 'record')}: ${count(matched)} matched, ${count(pending)} pending, ${count(broken)} break, ${count(unverified)} unverified, ${count(quarantined)} quarantined, ${count(waived)} waived`,
        );
      }
      if (last === null) return EXIT.unavailable;
      const folder = join(out, last.folder);
      const result = await score(join(folder, 'breaks.csv'), [
        ...world.sandbox.answerKey(),
        ...(world.sandbox.statement?.answers ?? []),
        ...world.sandbox.marketsDue(),
      ]);
      const seconds = (clock.monotonic.now() - startedAt) / 1000;
      if (session.out.json) {
        await session.out.value({
          ...snakeCase({ ...result, rows: result.rows.map(snakeCase) }),
          seconds,
          folder,
          verdicts: last.tally.verdicts,
          population: last.tally.population,
        });
      } else
        await printScore(session, { ...result, rows: result.rows.filter(canBeRaised(flags.chain)) }, folder, seconds);
      if (flags.serve) await servePages(session, world);
      return result.found === result.injected && result.falseAlarms === 0 ? EXIT.clean : EXIT.breaks;
    });
};

const KEY_NAMES = ['TIEOUT_SECRET_KEY', 'TIEOUT_SECRET_KEY_FILE'];

async function servePages(session: Session, world: DemoWorld): Promise<void> {
  const { url, link } = await world.serve();
  const words = `\nPages:   ${url}\nSign in: ${link}\nThe link works once; Ctrl-C ends it all.`;
  await session.out.result({ pages: url, sign_in: link }, words);
  await untilStopped(session.signal);
}

/** Of a demonstration without chains, whose bodies do not say either that an ended purchase was paid. */
const ON_CHAINS = /^(?:DELIVERY_|REFUND_DUE$)/;

/** A false alarm is shown all the same. Both directions have their quotes, so that each record is held against a promise. */
function canBeRaised(chain = false): (row: Score['rows'][number]) => boolean {
  return ({ rule, injected, found, falseAlarms }) =>
    injected + found + falseAlarms > 0 || (rule !== 'QUOTES_NOT_CAPTURED' && (chain || !ON_CHAINS.test(rule)));
}

async function printScore(session: Session, result: Score, folder: string, seconds: number): Promise<void> {
  const { out } = session;
  await out.line();
  await out.table(
    [
      { title: 'break code', cell: ({ rule }) => rule },
      { title: 'severity', cell: ({ severity }) => severity },
      { title: 'injected', cell: ({ injected }) => count(injected), align: 'right' },
      { title: 'found', cell: ({ found }) => count(found), align: 'right' },
      { title: 'wrong figures', cell: ({ wrong }) => count(wrong), align: 'right' },
      { title: 'false alarms', cell: ({ falseAlarms }) => count(falseAlarms), align: 'right' },
    ],
    result.rows,
  );
  const missed = result.injected - result.found - result.wrong;
  const verdict =
    missed + result.wrong + result.falseAlarms === 0
      ? out.paint(
          'green',
          `All ${count(result.injected)} injected breaks were found, with no false alarm, in ${seconds.toFixed(1)} s; their figures are those of the answer key, and ${count(result.nearMisses)} near-misses raised no break.`,
        )
      : out.paint(
          'red',
          `${counted(missed, 'injected break was', 'injected breaks were')} missed, ${counted(result.wrong, 'has', 'have')} a wrong figure, ${counted(result.falseAlarms, 'is a false alarm', 'are false alarms')}.`,
        );
  await out.line(`\n${verdict}`);
  for (const problem of result.problems.slice(0, 10)) await out.line(`  ${problem}`);
  await out.line('\nWhat the finance team reads:');
  for (const { rule, record, explanation } of result.examples.slice(0, 6)) {
    await out.line(`  ${out.paint('bold', rule)} ${record}`);
    await out.line(`    ${explanation}`);
  }
  await out.line(`\nReports: ${folder}`);
  await out.line('Next:');
  for (const line of nextCommands(folder, result, existsSync(join(folder, 'report.html')))) await out.line(`  ${line}`);
}

/** The next commands for the reader; each works as printed. */
function nextCommands(folder: string, { firstBreak }: Score, hasCharts: boolean): string[] {
  const config = `--config ${join(folder, '..', '..', SETTINGS)}`;
  return [
    `npx tieout breaks list ${config}`,
    `npx tieout breaks show ${firstBreak ?? 'BREAK'} ${config}`,
    hasCharts
      ? `${opener()} ${join(folder, 'report.html')}   # in a browser; report.xlsx is the same as a workbook`
      : `${opener()} ${join(folder, 'report.xlsx')}   # a page with charts needs a package: npm install echarts@6`,
  ];
}

/** The command that opens a file in its program, on this system. */
function opener(): string {
  if (process.platform === 'darwin') return 'open';
  return process.platform === 'win32' ? 'start' : 'xdg-open';
}

/** Absolute, so that the file serves from every working directory. */
function settingsText(folder: string, hasCharts: boolean, plugins: readonly string[]): string {
  return [
    '# Made by `tieout demo`: with it, all commands work on the database and reports of the demo.',
    'service:',
    '  url: http://127.0.0.1:4010/api     # where `tieout sandbox --rate-limit off` answers',
    '  rateLimits: off',
    `database: { url: ${JSON.stringify(`sqlite:${join(folder, 'tieout.db')}`)} }`,
    `out: ${JSON.stringify(folder)}`,
    `prices: { list: ${JSON.stringify(join(folder, PRICES))} }`,
    `reports: { formats: [csv, xlsx${hasCharts ? ', html' : ''}] }`,
    ...(plugins.length === 0 ? [] : [`plugins: ${JSON.stringify(plugins)}`]),
    '',
  ].join('\n');
}

const PRICE_LIST = `# What the contract of this demonstration allows: PIX, at amounts at which its percentage is above the least fee.
name: Demonstration
versions:
  - version: first
    from: 2017-01-01
    fees:
      - { kind: purchase, method: PIX, currency: BRL, amount: { from: 900, to: 1500 }, percent: 1.99 }
`;

/** @throws UsageError for a folder that another program or person filled. */
async function prepareFolder(out: string, hasCharts: boolean, plugins: readonly string[]): Promise<void> {
  const there = existsSync(out) ? await writing(out, () => readdirSync(out)) : [];
  if (there.length > 0 && !there.includes(MARK))
    throw new UsageError(`--out ${out}: is not empty and was not made by a demonstration; name another folder`);
  if (there.length > 0) rmSync(out, { recursive: true, force: true });
  await writePrivate(join(out, MARK), 'Made by `tieout demo`, and made anew by the next one.\n');
  await writePrivate(join(out, PRICES), PRICE_LIST);
  await writePrivate(join(out, SETTINGS), settingsText(resolve(out), hasCharts, plugins));
}
