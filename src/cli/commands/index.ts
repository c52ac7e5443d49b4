/** Every command, in the order of the help text. A new command is one file and one line here. */
import type { Register } from '../context.ts';
import { register as breaksList } from './breaks-list.ts';
import { register as breaksShow } from './breaks-show.ts';
import { register as configCheck } from './config-check.ts';
import { register as dbBackup } from './db-backup.ts';
import { register as dbMigrate } from './db-migrate.ts';
import { register as dbStatus } from './db-status.ts';
import { register as importIds } from './import.ts';
import { register as quotesImport } from './quotes-import.ts';
import { register as runsList } from './runs-list.ts';
import { register as runsShow } from './runs-show.ts';

export const COMMANDS: readonly Register[] = [
  importIds,
  quotesImport,
  breaksList,
  breaksShow,
  runsList,
  runsShow,
  dbMigrate,
  dbStatus,
  dbBackup,
  configCheck,
];
