/** Claims against the Service: opened from breaks, changed, and packed as evidence for its support. */
import type { Actor, NamedAccount } from '../domain/actor.ts';
import type { Claim, ClaimItem } from '../domain/claim.ts';
import { UsageError } from '../domain/errors.ts';
import { isoInstant } from '../domain/record.ts';
import { lossOf } from '../domain/stake.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { breakCells } from '../publish/break-cells.ts';
import { exported, profileOf } from '../publish/profiles.ts';
import { SIGNATURE, signerFor } from '../publish/sign.ts';
import { type PackedFile, zipOf } from '../publish/zip.ts';
import { csvText } from '../text/csv-text.ts';
import { claimLetter } from '../worklist/claim-letter.ts';
import { type ClaimChange, changeClaim, planClaim } from '../worklist/claims.ts';
import { knownAs } from '../worklist/known-as.ts';
import { planClaimed } from '../worklist/work.ts';
import type { App, AppData } from './app.ts';
import { evidenceFiles, hashOf } from './break-pack.ts';
import { storyOf } from './explain.ts';

/** A pack of more would be too large for a ticket. */
const MOST_BREAKS = 5_000;

/** @throws UsageError */
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

/** @throws UsageError, ClaimMovedOnError */
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
  const known = (each: NamedAccount) => knownAs(app.store.access, each);
  const two = before === null ? {} : { before: await known(before), linksMadeBy: (await known(actor)).linksMadeBy };
  const planned = changeClaim(claim, items, change, { reason, actor, at, ...two });
  // A rejected claim lets the breaks go of which nothing was recovered; one that is sent again takes them back.
  const isIn = change.state !== 'rejected';
  const moves = isIn !== (claim.state !== 'rejected');
  const free = moves ? planned.items.filter(({ recovered }) => recovered.isZero).map(({ breakId }) => breakId) : [];
  const records = await app.store.workList.ofSameRecords(free);
  if (isIn) refuseWaived(records, free);
  const taken = await app.store.claims.ofBreaks(isIn ? records.map(({ breakId }) => breakId) : []);
  const other = [...taken.values()].find((claimId) => claimId !== claim.claimId);
  if (other !== undefined) throw new UsageError(`its records are now in ${other}`);
  const isKept = ({ breakId }: { breakId: string }) =>
    planned.items.some((item) => item.breakId === breakId && !item.recovered.isZero);
  // A leading break is in the claim with those that prove its money, as when it was opened.
  const leading = leadingOf(records).map(({ breakId }) => breakId);
  const moved = records.filter((each) =>
    isIn ? [...free, ...leading].includes(each.breakId) : each.claimId === claim.claimId && !isKept(each),
  );
  const claimed = planClaimed(moved, records, isIn ? { claimId: claim.claimId, items: planned.items } : null, {
    actor,
    at,
    reason,
  });
  await app.store.claims.update(planned.claim, planned.items, planned.event, claim.events, claimed);
  return { ...planned.claim, events: claim.events + 1 };
}

/** What was waived since the rejection is accepted as it is. @throws UsageError, as for a new claim */
function refuseWaived(records: readonly CurrentBreak[], taken: readonly string[]): void {
  const waived = [...leadingOf(records), ...records.filter(({ breakId }) => taken.includes(breakId))].find(
    ({ state }) => state === 'waived',
  );
  if (waived === undefined) return;
  const who = waived.waiver === null ? '' : ` by ${waived.waiver.author}`;
  throw new UsageError(`the money of break ${waived.breakId.slice(0, 12)} was waived${who}; reopen it first`);
}

/** The leading break of each record. */
function leadingOf(records: readonly CurrentBreak[]): readonly CurrentBreak[] {
  const ofRecords = Map.groupBy(records, ({ kind, recordId }) => `${kind} ${recordId}`);
  return [...ofRecords.values()].flatMap((record) => lossOf(record)?.leading ?? []);
}

/** The evidence of a claim as one ZIP; the same claim gives the same files. Signed where a signing key is configured. */
export async function packClaim(app: App, claim: Claim): Promise<Buffer> {
  const items = await app.store.claims.items(claim.claimId);
  const breaks = await app.store.workList.byIds(items.map(({ breakId }) => breakId));
  const files = new Map<string, Buffer>();
  const put = (name: string, text: string) => files.set(name, Buffer.from(text, 'utf8'));
  const rows: object[] = [];
  let incomplete = 0;
  for (const each of breaks) {
    const { files: own, quoteId, isIncomplete } = await evidenceFiles(app, each, await storyOf(app, each));
    for (const [name, bytes] of own) files.set(name, bytes);
    rows.push(claimRow(claim.claimId, each, items, quoteId));
    if (isIncomplete) incomplete++;
  }
  put('letter.txt', claimLetter(claim, items, breaks, incomplete));
  put('claim.csv', csvText(rows, { header: true, columns: CLAIM_COLUMNS }));
  return zipOf(sealed(app, claim, files), claim.openedAt);
}

const CLAIM_COLUMNS = (
  'claim_id break_id rule kind record_id host_reference field expected actual difference currency claimed ' +
  'recovered quote_id explanation evidence_sha256 state'
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
