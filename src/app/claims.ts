/** Claims against the Service: opened from breaks, changed, and packed as evidence for its support. */

import { createHash, createPublicKey, sign } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { Actor } from '../domain/actor.ts';
import type { Claim, ClaimItem } from '../domain/claim.ts';
import { UsageError } from '../domain/errors.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import type { BreakStory } from '../explain/story.ts';
import { BREAK_COLUMNS } from '../ports/break-columns.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { breakCells } from '../publish/break-cells.ts';
import { readKeyFile, readPrivateKey } from '../publish/keys.ts';
import { exported, profileOf } from '../publish/profiles.ts';
import { SIGNATURE, signerFor } from '../publish/sign.ts';
import { type PackedFile, zipOf } from '../publish/zip.ts';
import { claimLetter } from '../worklist/claim-letter.ts';
import { type ClaimChange, changeClaim, planClaim } from '../worklist/claims.ts';
import { withoutSecrets } from '../worklist/quote-text.ts';
import { planClaimed } from '../worklist/work.ts';
import type { App, AppData } from './app.ts';
import { storyOf } from './explain.ts';

/** A pack of more would be too large for a ticket. */
const MOST_BREAKS = 5_000;

/** @throws ClaimRefusedError, UsageError */
export async function openClaim(
  app: AppData,
  breakIds: readonly string[],
  { title, reason, actor }: { title: string; reason: string; actor: Actor },
): Promise<Claim> {
  requireProved(app, actor);
  const wanted = [...new Set(breakIds)];
  if (wanted.length > MOST_BREAKS) throw new UsageError(`a claim has at most ${MOST_BREAKS} breaks; open several`);
  const breaks = await app.store.workList.byIds(wanted);
  const missing = wanted.find((id) => !breaks.some(({ breakId }) => breakId === id));
  if (missing !== undefined) throw new UsageError(`there is no break ${missing}`);
  const records = await app.store.workList.ofSameRecords(wanted);
  const taken = await app.store.claims.ofBreaks(records.map(({ breakId }) => breakId));
  const at = app.clock.wall.now();
  const { claim, items, event, breaks: put } = planClaim(breaks, { records, taken }, { title, reason, actor, at });
  const claimed = planClaimed(put, records, { claimId: claim.claimId, items }, { actor, at, reason });
  await app.store.claims.open(claim, items, event, claimed);
  return claim;
}

/** A name on a command line is stated only. @throws UsageError where the settings want two proved ones */
function requireProved({ settings }: AppData, { proof }: Actor): void {
  if (settings.fourEyes.claims && proof !== 'proved')
    throw new UsageError('fourEyes.claims is set: claims are opened and changed on the pages, by people who signed in');
}

/** @throws ClaimRefusedError, ClaimMovedOnError */
export async function updateClaim(
  app: AppData,
  claim: Claim,
  change: ClaimChange,
  { reason, actor }: { reason: string; actor: Actor },
): Promise<Claim> {
  requireProved(app, actor);
  const items = await app.store.claims.items(claim.claimId);
  const at = app.clock.wall.now();
  const before = app.settings.fourEyes.claims ? ((await app.store.claims.events(claim.claimId)).at(-1) ?? null) : null;
  const planned = changeClaim(claim, items, change, { reason, actor, at, before });
  // A rejected claim lets the records go of which nothing was recovered; one that is sent again takes them back.
  const isIn = change.state !== 'rejected';
  const moves = isIn !== (claim.state !== 'rejected');
  const free = moves ? planned.items.filter(({ recovered }) => recovered.isZero).map(({ breakId }) => breakId) : [];
  const records = await app.store.workList.ofSameRecords(free);
  const taken = await app.store.claims.ofBreaks(isIn ? records.map(({ breakId }) => breakId) : []);
  const other = [...taken.values()].find((claimId) => claimId !== claim.claimId);
  if (other !== undefined) throw new UsageError(`its records are now in ${other}`);
  const moved = records.filter((each) => (isIn ? free.includes(each.breakId) : each.claimId === claim.claimId));
  const claimed = planClaimed(moved, records, isIn ? { claimId: claim.claimId, items: planned.items } : null, {
    actor,
    at,
    reason,
  });
  await app.store.claims.update(planned.claim, planned.items, planned.event, claim.events, claimed);
  return { ...planned.claim, events: claim.events + 1 };
}

/** The evidence of a claim as one ZIP; the same claim gives the same files. Signed where a signing key is configured. */
export async function packClaim(app: App, claim: Claim): Promise<Buffer> {
  const items = await app.store.claims.items(claim.claimId);
  const breaks = await app.store.workList.byIds(items.map(({ breakId }) => breakId));
  const files = new Map<string, Buffer>();
  const put = (name: string, text: string) => files.set(name, Buffer.from(text, 'utf8'));
  put('letter.txt', claimLetter(claim, items, breaks));
  const rows: object[] = [];
  for (const each of breaks) {
    const { files: own, quoteId } = await evidenceFiles(app, each, await storyOf(app, each));
    for (const [name, bytes] of own) files.set(name, bytes);
    rows.push(claimRow(claim.claimId, each, items, quoteId));
  }
  put('claim.csv', stringify(rows, { header: true, columns: CLAIM_COLUMNS }));
  return zipOf(sealed(app, claim, files), claim.openedAt);
}

const CLAIM_COLUMNS = (
  'claim_id break_id rule kind record_id host_reference field expected actual difference currency claimed ' +
  'recovered quote_id explanation evidence_sha256'
).split(' ');

function claimRow(claim_id: string, each: CurrentBreak, items: readonly ClaimItem[], quoteId: string | null) {
  const item = items.find(({ breakId }) => breakId === each.breakId);
  const profile = profileOf('standard');
  return {
    ...breakCells(each, profile),
    claim_id,
    claimed: item?.claimed.toString(),
    recovered: item?.recovered.toString(),
    quote_id: quoteId === null ? null : exported(quoteId, profile),
  };
}

function sealed(app: App, claim: Claim, files: ReadonlyMap<string, Buffer>): PackedFile[] {
  const all = [...files].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const signer = signerFor(app.settings.publish.signingKeyFile);
  const manifest = Buffer.from(
    `${JSON.stringify(
      {
        schema_version: 1,
        claim_id: claim.claimId,
        opened_at: isoInstant(claim.openedAt),
        signing_key: signer?.keyId ?? null,
        files: all.map(({ name, bytes }) => ({ name, bytes: bytes.length, sha256: hashOf(bytes) })),
      },
      null,
      2,
    )}\n`,
  );
  const signature = signer === null ? [] : [{ name: SIGNATURE, bytes: Buffer.from(signer.sign(manifest)) }];
  return [...all, { name: 'manifest.json', bytes: manifest }, ...signature];
}

const SUMS = 'SHA256SUMS';

/** The same break gives the same files. Signed where a signing key is configured. @throws ManifestKeyError */
export async function packBreak(app: App, standing: CurrentBreak): Promise<Buffer> {
  const story = await storyOf(app, standing);
  const key = app.settings.publish.signingKeyFile;
  const columns = BREAK_COLUMNS.map(({ name }) => name);
  const { files } = await evidenceFiles(app, standing, story);
  const all = new Map([
    ...files,
    ['break.csv', Buffer.from(stringify([breakCells(standing, profileOf('standard'))], { header: true, columns }))],
    ['explanation.txt', Buffer.from(explanation(story))],
    ['README.txt', Buffer.from(readme(standing, key !== null))],
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
  ].join('\n');
}

function readme({ breakId, evidenceSha256 }: CurrentBreak, isSigned: boolean): string {
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

/** Body and quote of a break as files of a pack. They are named by hashes: an id from outside could climb out of the folder that it is unpacked into. */
async function evidenceFiles(
  { store }: Pick<App, 'store'>,
  { evidenceSha256 }: CurrentBreak,
  { judgedIn }: Pick<BreakStory, 'judgedIn'>,
): Promise<{ files: ReadonlyMap<string, Buffer>; quoteId: string | null }> {
  const files = new Map<string, Buffer>();
  const body = evidenceSha256 === null ? null : await store.items.evidence(evidenceSha256);
  if (evidenceSha256 !== null && body !== null)
    files.set(`bodies/${evidenceSha256.slice(0, 32)}.json`, Buffer.from(body));
  const quoteId = judgedIn?.quote?.quote.quoteId ?? null;
  const quote = quoteId === null ? null : await store.quotes.get(quoteId);
  if (quoteId !== null && quote !== null) {
    const { request, response } = quote;
    const text = withoutSecrets(`{"request":${request},"response":${response}}\n`);
    files.set(`quotes/${hashOf(quoteId).slice(0, 32)}.json`, Buffer.from(text));
  }
  return { files, quoteId };
}
