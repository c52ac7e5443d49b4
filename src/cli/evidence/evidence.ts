/** `tieout evidence`: the received bodies behind a record's findings. */
import { createHash } from 'node:crypto';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import { KINDS, type Kind, showInstant } from '../../domain/record.ts';
import type { SeenBody } from '../../ports/store/store.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { shown, snakeCase } from '../output.ts';
import { requireText, statedActor } from '../person.ts';
import type { Session } from '../session.ts';
import { trackedAs } from '../tracked/tracked.ts';

interface EvidenceFlags {
  record?: string;
  kind?: Kind;
  unseal?: boolean;
  verify?: boolean;
}

type Seen = SeenBody & { kind: Kind; record: string };

export const register: Register = (program) => {
  command(program, 'evidence', {
    details:
      'Equal bodies are kept once, without tokens. An unreadable body is kept sealed, because it may be another ' +
      "record's; --unseal prints it, for an auditor. After its retention only the hashes of a body remain. A body " +
      'has two hashes: of the received bytes, token included, and of the kept text. --verify computes the second ' +
      'again, as `tieout evidence SHA | sha256sum` does.',
    examples: [
      'tieout evidence --record sqs6a428mqjtzbv',
      'tieout evidence 2c26b46b68ff',
      'tieout evidence 2c26b46b68ff --verify',
      'tieout evidence 2c26b46b68ff --record sqs6a428mqjtzbv --unseal',
    ],
  })
    .argument(
      '[sha256]',
      'hash of a body, or at least its first six characters; for answers of a chain, the whole hash',
    )
    .option('--record <id>', 'id of the record at the Service; required for a list')
    .choice('--kind <kind>', 'kind of the record, if a purchase and a sale share the id', KINDS)
    .option('--unseal', 'print an unreadable body')
    .option('--verify', 'hash the kept text again and compare with the recorded hash')
    .runs(async (session, given, flags: EvidenceFlags) => {
      // Other programs write hashes in capitals.
      const hash = given?.toLowerCase();
      if (hash === undefined) {
        if (flags.record === undefined) throw new UsageError('give the hash of a body, or --record ID for a list');
        return list(session, await bodiesOf(session, flags.record, flags.kind));
      }
      const answers = await (await session.app()).store.evidence.text(hash);
      if (answers !== null) return printAnswers(session, hash, answers, flags);
      const body = bodyNamed(await seenWith(session, hash, flags), hash);
      return flags.verify ? verify(session, body) : print(session, body, flags);
    });

  command(program, 'evidence forget', {
    summary: 'Ask a chain again about transactions that it has answered for good',
    details:
      'For an endpoint that gave wrong answers: what it said about a final block is otherwise never requested again. Nothing is deleted, and the runs ' +
      'that used an answer replay with it. The next run that fetches a record asks the endpoints again; `tieout audit` does so at once.',
    examples: [
      'tieout evidence forget --chain ETH --reason "endpoint alpha gave times in milliseconds"',
      'tieout evidence forget --chain BTC --tx 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b --reason "ticket 12"',
    ],
  })
    .requiredOption('--chain <chain>', 'chain as in evidence.chains')
    .requiredOption('--reason <text>', 'reason to record')
    .option('--tx <hash>', 'one transaction (default: all of the chain)')
    .option('--by <name>', 'name to record (default: the user of this machine)')
    .runs(async (session, flags) => {
      requireText('--reason', flags.reason);
      const { store, clock, settings } = await session.app();
      const at = clock.wall.now();
      const reason = `forgotten by ${statedActor(flags.by).name} on ${showInstant(at)}: ${flags.reason}`;
      const forgotten = await store.evidence.forget(flags.chain, flags.tx ?? null, reason, at);
      // Answers of a chain that the settings no longer name are forgotten too.
      const known = settings.evidence.chains.map(({ chain }) => chain);
      if (forgotten === 0 && !known.includes(flags.chain))
        throw new UsageError(
          `--chain ${flags.chain}: evidence.chains has no such chain; it has ${known.join(', ') || 'none'}`,
        );
      const words =
        forgotten === 0
          ? `No answer about ${flags.tx ?? 'a transaction'} of ${flags.chain} is stored`
          : `${counted(forgotten, 'transaction')} of ${flags.chain} will be asked for again`;
      await session.out.result({ chain: flags.chain, forgotten }, words);
    });
};

/** @throws UsageError where no record has such a body. */
async function seenWith(session: Session, hash: string, { record, kind }: EvidenceFlags): Promise<readonly Seen[]> {
  if (!/^[0-9a-f]{6,64}$/.test(hash))
    throw new UsageError(`${hash}: write a hash as at least six hexadecimal digits; --record ID lists them`);
  if (record !== undefined) return bodiesOf(session, record, kind);
  const { history } = (await session.app()).store;
  const seen: Seen[] = [];
  for (const { kind: of, recordId } of await history.recordsWith(hash))
    if (kind === undefined || kind === of) seen.push(...(await bodiesOf(session, recordId, of)));
  return seen;
}

/** @throws UsageError where the record is not tracked. */
async function bodiesOf(session: Session, record: string, kind: Kind | undefined): Promise<readonly Seen[]> {
  const app = await session.app();
  const seen: Seen[] = [];
  for (const each of await trackedAs(app, record, kind)) {
    for (const sighting of await app.store.history.sightings(each.kind, each.id))
      seen.push({ ...sighting, kind: each.kind, record: each.id });
  }
  return seen;
}

/** By the hash received, else by that of the kept text. @throws UsageError where no body, or more than one, begins so. */
function bodyNamed(seen: readonly Seen[], hash: string): Seen {
  const received = seen.filter(({ sha256 }) => sha256.startsWith(hash));
  const named = received.length > 0 ? received : seen.filter((each) => each.redactedSha256?.startsWith(hash) === true);
  const [first] = named;
  if (first === undefined) {
    throw new UsageError(
      `no body has a hash that begins with ${hash}; \`tieout evidence --record ID\` lists those of a record`,
    );
  }
  if (named.some(({ sha256 }) => sha256 !== first.sha256))
    throw new UsageError(`several bodies have a hash that begins with ${hash}; give more of it`);
  return first;
}

/** What each of the two hashes proves; printed with the result. */
const RECEIVED_IS_FOR =
  'of the bytes received, which had the view token in them: it is what the reports name (evidence_sha256), tells that two answers ' +
  'were the same, and can be compared with the bytes that the Service or a proxy kept; it cannot be computed from the kept text';

async function verify(session: Session, body: Seen): Promise<ExitCode> {
  const text = await textOf(session, body);
  const found = createHash('sha256').update(text, 'utf8').digest('hex');
  const { out } = session;
  const { kind, record, sha256, redactedSha256 } = body;
  const verdict = redactedSha256 === null ? 'not on record' : redactedSha256 === found ? 'verified' : 'differs';
  const hashes = { received_sha256: sha256, redacted_sha256: redactedSha256, found_sha256: found };
  await out.result({ ...hashes, verdict, received_is_for: RECEIVED_IS_FOR }, [
    ['record', `${kind} ${record}`],
    ['kept text', `${found}: ${IN_WORDS[verdict]}`],
    ['on record', redactedSha256],
    ['received', `${sha256}: ${RECEIVED_IS_FOR}`],
  ]);
  if (verdict === 'not on record') return EXIT.incomplete;
  return verdict === 'verified' ? EXIT.clean : EXIT.breaks;
}

const IN_WORDS = {
  // A text and its hash can be changed together by SQL.
  verified: 'verified, the text has this hash; `tieout db check` tells whether a hash on record was changed',
  differs: 'NOT the text that was stored: the database was changed; restore a backup',
  'not on record': 'nothing to compare with: an older version stored the body without this hash',
} as const;

/** The answers of the witnesses of a chain, byte by byte as hashed. */
async function printAnswers({ out, world }: Session, sha256: string, text: string, flags: EvidenceFlags) {
  const found = createHash('sha256').update(text, 'utf8').digest('hex');
  const verdict = found === sha256 ? 'verified' : 'differs';
  if (flags.verify === true) {
    const words = [['answers of a chain', `${found}: ${IN_WORDS[verdict]}`]] as const;
    await out.result({ sha256, found_sha256: found, verdict }, words);
    return verdict === 'verified' ? EXIT.clean : EXIT.breaks;
  }
  if (out.json) await out.value({ sha256, answers: text });
  else await out.write(world.stdout.isTTY === true ? `${text}\n` : text);
  return EXIT.clean;
}

async function list({ out }: Session, seen: readonly Seen[]): Promise<ExitCode> {
  await out.list(
    seen.map(({ at: receivedAt, record: _of, ...body }) => snakeCase({ receivedAt, ...body })),
    seen,
    [
      { title: 'received', cell: (each) => showInstant(each.at) },
      { title: 'kind', cell: (each) => each.kind },
      { title: 'from', cell: (each) => each.origin },
      { title: 'status', cell: (each) => shown(each.status) },
      { title: 'kept', cell: (each) => each.kept },
      { title: 'sha256', cell: (each) => each.sha256 },
    ],
    'No body was ever received for this record.',
  );
  return EXIT.clean;
}

async function print(session: Session, body: Seen, { unseal }: EvidenceFlags): Promise<ExitCode> {
  const { out } = session;
  if (body.kept === 'sealed' && unseal !== true)
    throw new UsageError(`this body is unreadable and may be another record's; --unseal prints it all the same`);
  const text = await textOf(session, body);
  const { sha256, redactedSha256, kept } = body;
  if (out.json) await out.value({ sha256, redacted_sha256: redactedSha256, kept, body: text });
  // Nothing is added: the printed text has the recorded hash.
  else await out.write(session.world.stdout.isTTY === true ? `${text}\n` : text);
  return EXIT.clean;
}

/** @throws UsageError where the text was deleted after its retention. */
async function textOf(session: Session, { kind, record, sha256, kept }: Seen): Promise<string> {
  const { items } = (await session.app()).store;
  const text = kept === 'sealed' ? await items.quarantinedBody(kind, record, sha256) : await items.evidence(sha256);
  if (text === null) throw new UsageError(`the text of ${sha256} is past its retention; only its hashes are left`);
  return text;
}
