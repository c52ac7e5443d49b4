/** The whole command line: name, common flags, every command. */
import { Command } from 'commander';
import { register as access } from './access/access.ts';
import { register as journal } from './books/journal.ts';
import { register as orphans } from './books/orphans.ts';
import { register as revenueAccrual } from './books/revenue-accrual.ts';
import { register as revenueCompare } from './books/revenue-compare.ts';
import { register as breaksApply } from './breaks/apply.ts';
import { register as breaksDecide } from './breaks/decide.ts';
import { register as breaksExport } from './breaks/export.ts';
import { register as breaksList } from './breaks/list.ts';
import { register as breaksShow } from './breaks/show.ts';
import { register as claims } from './claims/claims.ts';
import { register as configCheck } from './config/check.ts';
import { register as doctor } from './config/doctor.ts';
import type { CliContext, Register } from './context.ts';
import { register as dbBackup } from './db/backup.ts';
import { register as dbCheck } from './db/check.ts';
import { register as dbCopy } from './db/copy.ts';
import { register as dbHealClock } from './db/heal-clock.ts';
import { register as dbMigrate } from './db/migrate.ts';
import { register as dbPrune } from './db/prune.ts';
import { register as dbReseal } from './db/reseal.ts';
import { register as dbStatus } from './db/status.ts';
import { register as demo } from './demo/demo.ts';
import { register as evidence } from './evidence/evidence.ts';
import { payoutsImport, payoutsList, payoutsMatch } from './evidence/payouts.ts';
import { addCommonFlags } from './flags.ts';
import { register as importIds } from './intake/import.ts';
import { register as openapi } from './openapi/openapi.ts';
import { register as period } from './periods/close.ts';
import { register as periodPack } from './periods/pack.ts';
import { register as periodStatus } from './periods/status.ts';
import { pricesCheck, pricesSimulate } from './prices/prices.ts';
import { register as keys } from './publish/keys.ts';
import { register as replay } from './publish/replay.ts';
import { register as report } from './publish/report.ts';
import { register as verify } from './publish/verify.ts';
import { register as quotesCapture } from './quotes/capture.ts';
import { register as quotesImport } from './quotes/import.ts';
import { register as audit } from './runs/audit.ts';
import { register as runsList } from './runs/list.ts';
import { register as plan } from './runs/plan.ts';
import { register as run } from './runs/run.ts';
import { register as runsShow } from './runs/show.ts';
import { register as sandbox } from './sandbox/sandbox.ts';
import { register as schedule } from './serve/schedule.ts';
import { register as serve } from './serve/serve.ts';
import { register as worker } from './serve/worker.ts';
import { register as service } from './service/service.ts';
import { register as tracked } from './tracked/tracked.ts';
import { register as widgetCheck } from './widget/check.ts';
import { register as widgetMigrate } from './widget/migrate.ts';
import { register as widgetUrl } from './widget/url.ts';
import type { World } from './world.ts';

const DESCRIPTION =
  'Reconciles crypto purchases and sales with the quotes that users were shown, and publishes reports that finance can ' +
  'open. Data goes to standard output; logs and progress go to standard error.';

const AFTER = `
Exit codes:
  0  clean                        4  the Service or the database is unavailable
  1  breaks (see --fail-on)       5  another run holds the lock
  2  usage or settings            130, 143  stopped by a signal, state saved
  3  incomplete: something due was not verified

Start with:
  tieout demo                      everything on this machine, with a Service of its own
  tieout config check              every setting and where it comes from
  tieout import ids.csv            store ids and their tokens
  tieout run                       tonight's work, now`;

export function createProgram(context: CliContext, world: World): Command {
  const program = new Command('tieout')
    .description(DESCRIPTION)
    .version(world.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    // Errors are reported in one place, main.ts; commander only throws them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => world.stdout.columns ?? 100,
      getErrHelpWidth: () => world.stderr.columns ?? 100,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', AFTER);
  addCommonFlags(program);
  for (const register of COMMANDS) register(program, context);
  return program;
}

export const COMMANDS: readonly Register[] = [
  demo,
  importIds,
  tracked,
  quotesImport,
  quotesCapture,
  run,
  audit,
  plan,
  replay,
  report,
  verify,
  breaksList,
  breaksShow,
  evidence,
  breaksDecide,
  breaksExport,
  breaksApply,
  claims,
  orphans,
  revenueAccrual,
  revenueCompare,
  journal,
  payoutsImport,
  payoutsMatch,
  payoutsList,
  pricesCheck,
  pricesSimulate,
  periodStatus,
  period,
  periodPack,
  keys,
  runsList,
  runsShow,
  access,
  schedule,
  worker,
  serve,
  sandbox,
  openapi,
  service,
  widgetUrl,
  widgetCheck,
  widgetMigrate,
  dbMigrate,
  dbCheck,
  dbStatus,
  dbBackup,
  dbCopy,
  dbPrune,
  dbReseal,
  dbHealClock,
  configCheck,
  doctor,
];
