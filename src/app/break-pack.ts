/** The evidence of one break for an outsider, who checks it with `sha256sum` and `openssl` alone. */
import { createHash, createPublicKey, sign } from 'node:crypto';
import { isOnRecord } from '../domain/break.ts';
import { EXIT, TieoutError } from '../domain/errors.ts';
import { showInstant } from '../domain/record.ts';
import type { BreakStory } from '../explain/story.ts';
import { BREAK_COLUMNS } from '../ports/break-columns.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { breakCells } from '../publish/break-cells.ts';
import { readKeyFile, readPrivateKey } from '../publish/keys.ts';
import { profileOf } from '../publish/profiles.ts';
import { zipOf } from '../publish/zip.ts';
import { csvText } from '../text/csv-text.ts';
import { oneLine } from '../text/visible.ts';
import { withoutSecrets } from '../worklist/quote-text.ts';
import type { App } from './app.ts';
import { storyOf } from './explain.ts';

const SUMS = 'SHA256SUMS';

/** The same break gives the same files. Signed where a signing key is configured. @throws ManifestKeyError, ChangedTextError */
export async function packBreak(app: App, standing: CurrentBreak): Promise<Buffer> {
  const story = await storyOf(app, standing);
  const key = app.settings.publish.signingKeyFile;
  const columns = BREAK_COLUMNS.map(({ name }) => name);
  const { files, isIncomplete } = await evidenceFiles(app, standing, story);
  const all = new Map([
    ...files,
    ['break.csv', Buffer.from(csvText([breakCells(standing, profileOf('standard'))], { header: true, columns }))],
    ['explanation.txt', Buffer.from(explanation(story))],
    ['README.txt', Buffer.from(readme(standing, { isSigned: key !== null, isIncomplete }))],
  ]);
  const names = [...all.keys()].sort();
  const sums = Buffer.from(names.map((name) => `${hashOf(all.get(name) ?? '')}  ${name}\n`).join(''));
  const packed = [
    ...names.map((name) => ({ name, bytes: all.get(name) ?? Buffer.alloc(0) })),
    { name: SUMS, bytes: sums },
  ];
  if (key !== null) {
    const privateKey = readPrivateKey(readKeyFile(key), key);
    const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
    packed.push(
      { name: `${SUMS}.sig`, bytes: sign(null, sums, privateKey) },
      { name: 'signing-key.pem', bytes: Buffer.from(pem) },
    );
  }
  return zipOf(packed, story.events.at(-1)?.at ?? 0);
}

function explanation({ standing, rule, action, workings, judgedIn, events }: BreakStory): string {
  const lines = workings.map(({ label, working, result, unit }) => {
    const shown = unit === null ? result : `${result} ${unit}`;
    return `  ${label}: ${working === null ? '' : `${working} = `}${shown}`;
  });
  return [
    `${standing.rule} (${standing.severity}, ${standing.state}) on ${standing.kind} ${standing.recordId}`,
    standing.explanation,
    '',
    ...(rule === null ? [] : [`Why it matters: ${rule.why}`]),
    `What to do: ${action}`,
    ...(judgedIn === null ? [] : [`Judged in ${judgedIn.runId}.`]),
    ...(lines.length === 0 ? [] : ['', 'The arithmetic', ...lines]),
    '',
    'History',
    ...events.map(
      ({ at, type, who, runId }) => `  ${showInstant(at)}  ${type} by ${who}${runId === null ? '' : ` in ${runId}`}`,
    ),
    '',
  ]
    .map(oneLine)
    .join('\n');
}

function readme(
  { breakId, evidenceSha256 }: CurrentBreak,
  { isSigned, isIncomplete }: { isSigned: boolean; isIncomplete: boolean },
): string {
  return `Evidence of break ${breakId}

break.csv         the break, with the columns of a night's breaks.csv
explanation.txt   its arithmetic and its history
bodies/           what the Service answered, tokens cut out; each file is named by the beginning of the SHA-256 of the
                  bytes as they came, with the token; ${SUMS} has the hash of the file as it is here${
                    evidenceSha256 === null
                      ? ' (no body came back)'
                      : `\n                  the one that was judged has ${evidenceSha256}`
                  }
quotes/           the quote that the user was shown, where one is stored
${isIncomplete ? '\nIts body or its quote is not here: the sender no longer keeps it, or has it in an archive.\n' : ''}
Check that no file was changed:
  sha256sum -c ${SUMS}
${
  isSigned
    ? `
Check who made it (OpenSSL 3). Compare signing-key.pem with the key that the sender gave you before:
  openssl pkeyutl -verify -pubin -inkey signing-key.pem -rawin -in ${SUMS} -sigfile ${SUMS}.sig
`
    : '\nIt is not signed: the sender has no signing key.\n'
}`;
}

export const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The text of a body or a quote was changed in the database. Exit code 1, as for `tieout evidence --verify`. */
export class ChangedTextError extends TieoutError {
  override readonly exitCode = EXIT.breaks;
  constructor(what: string) {
    super(`${what} is not the text that was stored: the database was changed`, {
      remedy: 'run `tieout db check`, and restore a backup',
    });
  }
}

interface BreakEvidence {
  files: ReadonlyMap<string, Buffer>;
  quoteId: string | null;
  /** Body or quote are no longer kept here. */
  isIncomplete: boolean;
}

/**
 * Body and quote of a break as files of a pack. They are named by hashes: an id from outside could climb out of the folder that it is unpacked into.
 * @throws ChangedTextError
 */
export async function evidenceFiles(
  { store }: Pick<App, 'store'>,
  { evidenceSha256, kind }: CurrentBreak,
  { judgedIn, record }: Pick<BreakStory, 'judgedIn' | 'record'>,
): Promise<BreakEvidence> {
  const files = new Map<string, Buffer>();
  const body = evidenceSha256 === null ? null : await store.items.evidence(evidenceSha256);
  if (evidenceSha256 !== null && body !== null) {
    const onRecord = record?.sightings.find(({ sha256 }) => sha256 === evidenceSha256)?.redactedSha256 ?? null;
    // Null for a body that an older version stored without it.
    if (onRecord !== null && onRecord !== hashOf(body)) throw new ChangedTextError(`body ${evidenceSha256}`);
    files.set(`bodies/${evidenceSha256.slice(0, 32)}.json`, Buffer.from(body));
  }
  const quoteId = judgedIn?.quote?.quote.quoteId ?? null;
  const quote = quoteId === null ? null : await store.quotes.get(quoteId);
  if (quoteId !== null && quote !== null) {
    if (!(await store.quotes.isAsStored(quoteId))) throw new ChangedTextError(`quote ${quoteId}`);
    const { request, response } = quote;
    const text = `${withoutSecrets(`{"request":${request},"response":${response}}`)}\n`;
    files.set(`quotes/${hashOf(quoteId).slice(0, 32)}.json`, Buffer.from(text));
  }
  // Retention has forgotten the body, or an archive has the run that says which quote it was judged by.
  const isIncomplete = (evidenceSha256 !== null && body === null) || (judgedIn === null && isOnRecord(kind));
  return { files, quoteId, isIncomplete };
}
