/** `tieout audit`: fetches chosen records again, of any age. */
import { text as textOf } from 'node:stream/consumers';
import { audit } from '../../../jobs/audit.ts';
import type { App } from '../../app/app.ts';
import { parseCsv, readTextFile } from '../../app/read-csv.ts';
import { UsageError } from '../../domain/errors.ts';
import { isRecordId, KINDS, type Kind } from '../../domain/record.ts';
import type { Selection } from '../../domain/run.ts';
import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';
import { readDate, readWholeRange, runJobCommand } from './run-job.ts';

interface Chosen {
  id?: string[];
  ids?: string;
  from?: string;
  to?: string;
  kind?: Kind;
  requote?: boolean;
}

export const register: Register = (program) => {
  command(program, 'audit', {
    details: 'Choose them by --id, by --ids, or by --from and --to.',
    examples: [
      'tieout audit --id sqs6a428mqjtzbv',
      'tieout audit --ids asked-for.txt',
      'tieout audit --from 2026-10-01 --to 2026-11-01 --kind sale',
    ],
  })
    .option('--id <id...>', 'ids of records')
    .option('--ids <file>', 'file with one id a line, or CSV with an id column; - reads standard input')
    .option('--from <date>', 'records created on or after this date')
    .option('--to <date>', 'records created before this date')
    .choice('--kind <kind>', 'only purchases or only sales', KINDS)
    .option('--date <date>', 'business date that the run is for (default: the last full day)')
    .option('--requote', 'request a fresh quote for each record without a quote')
    .option('--resume', 'continue the run that a crash or a signal interrupted')
    .option('--adopt', 'take over an out folder that another database published to')
    .runs(async (session, flags) => {
      const selection = flags.resume ? null : await selectionOf(session, flags);
      return runJobCommand(session, {
        job: audit,
        businessDate: readDate('--date', flags.date),
        selection,
        resume: flags.resume === true,
        maxDurationMs: null,
        maxRequests: null,
        adopt: flags.adopt === true,
      });
    });
};

async function selectionOf(session: Session, flags: Chosen): Promise<(app: App) => Promise<Selection>> {
  const kind = flags.kind ?? null;
  const range = readWholeRange(flags);
  const ids = [...(flags.id ?? []), ...(flags.ids === undefined ? [] : await readIds(session, flags.ids))];
  if (range !== null) {
    if (ids.length > 0) throw new UsageError('choose records by id or by date, not both');
    return async (app) => ({ type: 'created', ...range, kind, ...requoting(app, flags) });
  }
  if (ids.length === 0) throw new UsageError('no records chosen: give --id ID, --ids FILE, or --from DATE --to DATE');
  const bad = ids.find((id) => !isRecordId(id));
  if (bad !== undefined) {
    const flag = flags.id?.includes(bad) === true ? '--id' : `--ids ${flags.ids}`;
    throw new UsageError(`${flag}: ${bad.slice(0, 64)} is not a record id; ids have letters, digits, - and _`);
  }
  return async (app) => ({ type: 'ids', ids: await requireTracked(app, ids, kind), kind, ...requoting(app, flags) });
}

/** @throws UsageError where the integration key is missing, before any request is spent. */
function requoting(app: App, flags: Chosen): { requote?: true } {
  if (!flags.requote) return {};
  if (app.settings.service.hostApiKey !== null) return { requote: true };
  throw new UsageError(
    '--requote asks for quotes, which need the integration key: set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE',
  );
}

/** As they are stored. @throws UsageError */
async function requireTracked(app: App, ids: readonly string[], kind: Kind | null): Promise<readonly string[]> {
  const { ids: stored, unknown } = await app.store.tracked.stored(ids, kind);
  if (unknown.length === 0) return stored;
  const more = unknown.length > 10 ? ` and ${unknown.length - 10} more` : '';
  throw new UsageError(
    `not tracked${kind === null ? '' : ` as a ${kind}`}, or retracted: ${unknown.slice(0, 10).join(', ')}${more}; import ids with their tokens first (tieout import)`,
  );
}

/**
 * One id a line, or CSV with a column `id` or `record_id`, as in a published report of any profile. Lines about
 * payments of the host's revenue are skipped: they name no record.
 */
async function readIds(session: Session, file: string): Promise<string[]> {
  const given = file === '-' ? await textOf(session.world.stdin) : readTextFile(file, `--ids ${file}`);
  const text = given.replace(/^\uFEFF/, '');
  const filled = text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const names = filled[0]?.split(/[,;]/).map((name) => name.trim().toLowerCase().replace(/^"|"$/g, ''));
  if (names === undefined) throw new UsageError(`--ids ${file}: is empty`);
  const column = ['id', 'record_id'].find((name) => names.includes(name));
  if (column === undefined) return filled;
  // A spreadsheet profile marks ids of digits alone with an apostrophe.
  return parseCsv(text, `--ids ${file}`, [column])
    .filter(({ cell }) => cell('kind') !== 'payout')
    .map(({ cell }) => (cell(column) ?? '').replace(/^'/, ''));
}
