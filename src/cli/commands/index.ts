/** Every command, in the order of the help text. A new command is one file and one line here. */
import type { Register } from '../context.ts';
import { register as audit } from './audit.ts';
import { register as breaksApply } from './breaks-apply.ts';
import { register as breaksDecide } from './breaks-decide.ts';
import { register as breaksExport } from './breaks-export.ts';
import { register as breaksList } from './breaks-list.ts';
import { register as breaksShow } from './breaks-show.ts';
import { register as configCheck } from './config-check.ts';
import { register as dbBackup } from './db-backup.ts';
import { register as dbCopy } from './db-copy.ts';
import { register as dbMigrate } from './db-migrate.ts';
import { register as dbPrune } from './db-prune.ts';
import { register as dbReseal } from './db-reseal.ts';
import { register as dbStatus } from './db-status.ts';
import { register as demo } from './demo.ts';
import { register as doctor } from './doctor.ts';
import { register as evidence } from './evidence.ts';
import { register as importIds } from './import.ts';
import { register as journal } from './journal.ts';
import { register as keys } from './keys.ts';
import { register as openapi } from './openapi.ts';
import { register as orphans } from './orphans.ts';
import { register as period } from './period.ts';
import { register as periodStatus } from './period-status.ts';
import { register as plan } from './plan.ts';
import { register as quotesCapture } from './quotes-capture.ts';
import { register as quotesImport } from './quotes-import.ts';
import { register as replay } from './replay.ts';
import { register as report } from './report.ts';
import { register as revenueAccrual } from './revenue-accrual.ts';
import { register as revenueCompare } from './revenue-compare.ts';
import { register as run } from './run.ts';
import { register as runsList } from './runs-list.ts';
import { register as runsShow } from './runs-show.ts';
import { register as sandbox } from './sandbox.ts';
import { register as schedule } from './schedule.ts';
import { register as serve } from './serve.ts';
import { register as service } from './service.ts';
import { register as verify } from './verify.ts';
import { register as widgetCheck } from './widget-check.ts';
import { register as widgetMigrate } from './widget-migrate.ts';
import { register as widgetUrl } from './widget-url.ts';
import { register as worker } from './worker.ts';

export const COMMANDS: readonly Register[] = [
  demo,
  importIds,
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
  orphans,
  revenueAccrual,
  revenueCompare,
  journal,
  periodStatus,
  period,
  keys,
  runsList,
  runsShow,
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
  dbStatus,
  dbBackup,
  dbCopy,
  dbPrune,
  dbReseal,
  configCheck,
  doctor,
];
