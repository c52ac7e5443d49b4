/** `tieout evidence`: the bodies that a record's findings rest on. */
import { Option } from 'commander';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import { isoInstant, KINDS, type Kind, showInstant } from '../../domain/record.ts';
import type { Sighting } from '../../ports/store/store.ts';
import { command, type Register } from '../context.ts';
import { shown } from '../output.ts';
import type { Session } from '../session.ts';

interface EvidenceFlags {
  record: string;
  kind?: Kind;
  unseal?: boolean;
}

type Seen = Sighting & { kind: Kind };

export const register: Register = (program, context) => {
  command(program, 'evidence', {
    summary: 'List the bodies received for a record, or print one as it came',
    details:
      'Bodies are kept once per content, with tokens cut out. One that could not be read is kept sealed, as it may be another\n' +
      "record's; --unseal prints it, for an auditor. A body past its retention is gone, and only its hash is left.",
    examples: [
      'tieout evidence --record sqs6a428mqjtzbv',
      'tieout evidence 2c26b46b68ff --record sqs6a428mqjtzbv',
      'tieout evidence 2c26b46b68ff --record sqs6a428mqjtzbv --unseal',
    ],
  })
    .argument('[sha256]', 'the hash of a body, or at least the first six characters of it')
    .requiredOption('--record <id>', "the Service's id of the record")
    .addOption(new Option('--kind <kind>', 'where a purchase and a sale share the id').choices(KINDS))
    .option('--unseal', 'print a body that could not be read')
    .action((hash: string | undefined, flags: EvidenceFlags, self) =>
      context.run(self, async (session) => {
        const seen = await bodiesOf(session, flags);
        if (hash === undefined) return list(session, seen);
        return print(session, bodyNamed(seen, hash, flags.record), flags);
      }),
    );
};

/** @throws UsageError where the record is not tracked. */
async function bodiesOf(session: Session, { record, kind }: EvidenceFlags): Promise<readonly Seen[]> {
  const { store } = await session.app();
  const tracked = (await store.tracked.find(record)).filter((each) => kind === undefined || each.kind === kind);
  if (tracked.length === 0)
    throw new UsageError(`${kind ?? 'record'} ${record} is not tracked; \`tieout import\` adds ids`);
  const seen: Seen[] = [];
  for (const each of tracked) {
    for (const sighting of await store.history.sightings(each.kind, record))
      seen.push({ ...sighting, kind: each.kind });
  }
  return seen;
}

/** @throws UsageError where no body, or more than one, begins like this. */
function bodyNamed(seen: readonly Seen[], hash: string, record: string): Seen {
  if (!/^[0-9a-f]{6,64}$/.test(hash)) {
    throw new UsageError(
      `${hash}: write a hash as at least six hexadecimal digits; without one, all bodies are listed`,
    );
  }
  const named = seen.filter(({ sha256 }) => sha256.startsWith(hash));
  const [first] = named;
  if (first === undefined) {
    throw new UsageError(
      `no body of ${record} has a hash that begins with ${hash}; \`tieout evidence --record ${record}\` lists them`,
    );
  }
  if (named.some(({ sha256 }) => sha256 !== first.sha256)) {
    throw new UsageError(`several bodies of ${record} begin with ${hash}; give more of the hash`);
  }
  return first;
}

async function list({ out }: Session, seen: readonly Seen[]): Promise<ExitCode> {
  if (out.json) {
    await out.value(
      seen.map(({ at, httpStatus, ...rest }) => ({ received_at: isoInstant(at), http_status: httpStatus, ...rest })),
    );
    return EXIT.clean;
  }
  await out.table(
    [
      { title: 'received', cell: (each) => showInstant(each.at) },
      { title: 'kind', cell: (each) => each.kind },
      { title: 'from', cell: (each) => each.origin },
      { title: 'status', cell: (each) => shown(each.status) },
      { title: 'kept', cell: (each) => each.kept },
      { title: 'sha256', cell: (each) => each.sha256 },
    ],
    seen,
  );
  if (seen.length === 0) await out.line('No body was ever received for this record.');
  return EXIT.clean;
}

async function print(session: Session, body: Seen, { record, unseal }: EvidenceFlags): Promise<ExitCode> {
  const { items } = (await session.app()).store;
  const { out } = session;
  if (body.kept === 'sealed' && unseal !== true) {
    throw new UsageError(`this body could not be read and may be another record's; --unseal prints it all the same`);
  }
  const text =
    body.kept === 'sealed'
      ? await items.quarantinedBody(body.kind, record, body.sha256)
      : await items.evidence(body.sha256);
  if (text === null) throw new UsageError(`the text of ${body.sha256} is past its retention; only its hash is left`);
  if (out.json) await out.value({ sha256: body.sha256, kept: body.kept, body: text });
  else await out.line(text);
  return EXIT.clean;
}
