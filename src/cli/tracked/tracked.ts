/** `tieout tracked list|show|set-token|retract|restore`: tracked ids, and decisions about one. */
import { text as textOf } from 'node:stream/consumers';
import type { App } from '../../app/app.ts';
import { readTextFile } from '../../app/read-csv.ts';
import { UsageError } from '../../domain/errors.ts';
import { isoInstant, isViewToken, KINDS, type Kind, showInstant } from '../../domain/record.ts';
import type { Correction, CorrectionType, TrackedRecord } from '../../ports/store/store.ts';
import { counted } from '../../text/counts.ts';
import { withdraw } from '../../worklist/decide.ts';
import { type CliCommand, command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { picked, snakeCase } from '../output.ts';
import { requireText, statedActor } from '../person.ts';
import type { Session } from '../session.ts';

const TEXTS: Readonly<Record<CorrectionType, { summary: string; details: string; example: string }>> = {
  'set-token': {
    summary: 'Replace the view token of a tracked record',
    details:
      'Reads the token from standard input, or from --token-file: a secret is never a flag. The old token is kept, ' +
      'sealed, so that a file with the old token is not a conflict. `tieout import --replace-tokens` does this for a ' +
      'whole file.',
    example: 'tieout tracked set-token sqs6a428mqjtzbv --kind purchase --reason "typed wrong, ticket 12" < token.txt',
  },
  retract: {
    summary: 'Take a record out of the population',
    details:
      'For ids that should never have been tracked: a test purchase, or a sale that was imported as a purchase. ' +
      'Runs do not fetch it, reports do not list it, its breaks are resolved with the reason, and every run counts ' +
      'it as retracted.',
    example: 'tieout tracked retract sqs6a428mqjtzbv --kind sale --reason "it is a purchase"',
  },
  restore: {
    summary: 'Take a retracted record back into the population',
    details: 'The next run fetches it and opens its breaks again.',
    example: 'tieout tracked restore sqs6a428mqjtzbv --kind sale --reason "retracted by mistake"',
  },
};

const WHICH = 'kind of the record, if a purchase and a sale share the id';

export const register: Register = (program) => {
  command(program, 'tracked list', {
    summary: 'List tracked ids, with their last status',
    details: 'Sorted by kind and id. Tokens are never printed.',
    examples: ['tieout tracked list', 'tieout tracked list --kind sale --limit 1000 --json'],
  })
    .option('--limit <n>', 'records at most', positiveNumber, 100)
    .choice('--kind <kind>', 'only purchases or only sales', KINDS)
    .runs((session, flags) => list(session, flags));
  command(program, 'tracked show', {
    summary: 'Show a tracked id, and the decisions about it',
    examples: ['tieout tracked show sqs6a428mqjtzbv', 'tieout tracked show sqs6a428mqjtzbv --kind sale --json'],
  })
    .argument('<id>', 'id of the record at the Service')
    .choice('--kind <kind>', WHICH, KINDS)
    .runs((session, id, { kind }) => show(session, id, kind));
  for (const type of Object.keys(TEXTS) as CorrectionType[]) registerOne(program, type);
};

function registerOne(program: CliCommand, type: CorrectionType): void {
  const { summary, details, example } = TEXTS[type];
  const built = command(program, `tracked ${type}`, { summary, details, examples: [example] })
    .argument('<id>', 'id of the record at the Service')
    .choice('--kind <kind>', WHICH, KINDS)
    .requiredOption('--reason <text>', 'reason to record')
    .option('--by <name>', 'name to record (default: the user of this machine)');
  if (type === 'set-token') built.option('--token-file <file>', 'file with the view token');
  built.runs(async (session, id, flags: { kind?: Kind; reason: string; by?: string; tokenFile?: string }) => {
    requireText('--reason', flags.reason);
    const app = await session.app();
    const [first, second] = await trackedAs(app, id, flags.kind);
    if (first === undefined || second !== undefined)
      throw new UsageError(`${id} is tracked as a purchase and as a sale; say which with --kind`);
    const { kind, id: stored } = first;
    const decided = { actor: statedActor(flags.by).name, reason: flags.reason, at: app.clock.wall.now() };
    const correction: Correction =
      type === 'set-token'
        ? { ...decided, type, token: await readToken(session, flags.tokenFile) }
        : { ...decided, type };
    const outcome = await app.store.tracked.correct(kind, stored, correction);
    const done = { 'set-token': 'its token is replaced', retract: 'retracted', restore: 'restored' }[type];
    const words = outcome === 'unchanged' ? 'unchanged, it stands like this already' : done;
    const breaks = outcome === 'changed' && type === 'retract' ? await withdrawBreaks(app, kind, stored, decided) : 0;
    await session.out.result(
      { kind, id: stored, type, outcome, breaks_resolved: breaks },
      `${kind} ${stored}: ${words}${breaks === 0 ? '' : `; ${counted(breaks, 'break')} resolved`}`,
    );
  });
}

/** One record, or a purchase and a sale that share the id. @throws UsageError where the id is not tracked */
export async function trackedAs({ store }: App, id: string, kind: Kind | undefined): Promise<readonly TrackedRecord[]> {
  const found = (await store.tracked.find(id)).filter((each) => kind === undefined || each.kind === kind);
  if (found.length > 0) return found;
  throw new UsageError(`${kind ?? 'record'} ${id} is not tracked; \`tieout import\` adds ids`);
}

/** @throws UsageError */
async function readToken({ world }: Session, tokenFile: string | undefined): Promise<string> {
  const text =
    tokenFile === undefined ? await textOf(world.stdin) : readTextFile(tokenFile, `--token-file ${tokenFile}`);
  const token = text.replace(/^\uFEFF/, '').trim();
  if (token === '') throw new UsageError('the token is missing: pipe it to standard input, or name a --token-file');
  if (!isViewToken(token))
    throw new UsageError('the token may have only visible ASCII characters, at most 256, on one line');
  return token;
}

/** They would stay open forever, because no run judges the record any more. */
async function withdrawBreaks(app: App, kind: Kind, recordId: string, decided: Omit<Correction, 'type' | 'token'>) {
  const { breaks } = app.store;
  const standing = await breaks.list({
    kind,
    recordId,
    states: ['open', 'acknowledged', 'reopened', 'waived'],
    limit: 1_000,
    offset: 0,
  });
  const { actor: who, reason, at } = decided;
  await breaks.append(
    standing.map(({ hostReference: _host, events, ...each }) => ({
      ...withdraw(each, { who, reason: `the record was retracted: ${reason}`, at }),
      expectedEvents: events,
    })),
  );
  return standing.length;
}

async function list(session: Session, { kind, limit }: { kind?: Kind; limit: number }): Promise<void> {
  const { store } = await session.app();
  const scope = { kind: kind ?? null, createdFrom: null, createdTo: null };
  // One more than is printed tells whether there are more.
  const found = await store.tracked.latest(scope, null, limit + 1);
  const [rows, more] = [found.slice(0, limit), found.length > limit];
  const tracked = rows.map(({ kind: of, recordId: id, hostReference, state, lastVerifiedAt }) =>
    snakeCase({ kind: of, id, hostReference, status: state?.status ?? null, lastVerifiedAt }),
  );
  await session.out.list(
    { tracked, more },
    rows,
    [
      { title: 'kind', cell: (row) => row.kind },
      { title: 'id', cell: (row) => row.recordId },
      { title: 'host reference', cell: (row) => row.hostReference ?? '' },
      { title: 'status', cell: ({ state }) => state?.status ?? '' },
      { title: 'last verified', cell: ({ lastVerifiedAt: at }) => (at === null ? '' : isoInstant(at)) },
    ],
    'Nothing is tracked; `tieout import` adds ids.',
  );
  if (more && !session.out.json) session.screen.write(`Only the first ${limit}; --limit lists more.\n`);
}

/** The date is that of its run, which a late night may be for. */
function lastVerified({ projection: { lastVerifiedAt, lastVerifiedDate } }: TrackedRecord): string | null {
  return lastVerifiedAt === null ? null : `${showInstant(lastVerifiedAt)}, for ${lastVerifiedDate}`;
}

async function show(session: Session, id: string, kind: Kind | undefined): Promise<void> {
  const app = await session.app();
  const found = await trackedAs(app, id, kind);
  const { out } = session;
  const histories = await Promise.all(found.map((each) => app.store.tracked.corrections(each.kind, each.id)));
  if (out.json)
    return out.value(
      found.map((each, i) => ({
        ...picked(each, 'kind', 'id', 'origin'),
        ...snakeCase(picked(each, 'trackedAt', 'retractedAt')),
        ...snakeCase(picked(each.facts, 'hostReference', 'quoteId', 'expectedStatus')),
        shown_total: each.facts.shown?.total ?? null,
        shown_fee: each.facts.shown?.fee ?? null,
        conflict: each.facts.conflict,
        status: each.projection.status,
        last_verified_date: each.projection.lastVerifiedDate,
        decisions: (histories[i] ?? []).map(snakeCase),
        ...snakeCase({ lastVerifiedAt: each.projection.lastVerifiedAt }),
      })),
    );
  for (const [i, each] of found.entries()) {
    await out.pairs([
      ['record', `${each.kind} ${each.id}`],
      ['population', each.retractedAt === null ? 'in' : `retracted on ${showInstant(each.retractedAt)}`],
      ['tracked', `${showInstant(each.trackedAt)}, from ${each.origin}`],
      ['host reference', each.facts.hostReference],
      ['quote', each.facts.quoteId],
      ['expected status', each.facts.expectedStatus],
      ['shown total', each.facts.shown?.total?.toString() ?? null],
      ['shown fee', each.facts.shown?.fee?.toString() ?? null],
      ['conflict', each.facts.conflict],
      ['status', each.projection.status],
      ['last verified', lastVerified(each)],
      ...(histories[i] ?? []).map(
        ({ type, actor, reason, at }) => [type, `${showInstant(at)} by ${actor}: ${reason}`] as const,
      ),
    ]);
  }
}
