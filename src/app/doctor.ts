/** Checks of everything that a run needs, each with what to mend. */

import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { showInstant } from '../domain/record.ts';
import { readSourceDry } from '../intake/sources.ts';
import type { LimiterState } from '../ports/pacing.ts';
import { ManifestKeyError } from '../publish/keys.ts';
import { signerFor } from '../publish/sign.ts';
import { count, counted } from '../text/counts.ts';
import type { App } from './app.ts';
import { type Check, misset, note, ok, serviceChecks, wrong } from './doctor-service.ts';
import { firstThatIs, freeSpace, tooLittle } from './free-space.ts';
import { otherEgressesSay } from './wiring.ts';

/** @param offline leaves out the requests to the Service */
export async function checksOf(app: App, { offline }: { offline: boolean }): Promise<readonly Check[]> {
  return [
    ...(await databaseChecks(app)),
    keyCheck(app),
    outCheck(app),
    ...(await spaceChecks(app)),
    ...signingCheck(app),
    ...(await referenceChecks(app)),
    ...(await allowanceChecks(app)),
    ...chainChecks(app),
    ...(await sourceChecks(app)),
    ...(offline ? [] : [...(await serviceChecks(app)), ...clockChecks(app)]),
  ];
}

async function databaseChecks(app: App): Promise<Check[]> {
  const { engine, location, integrity, pending } = await app.upkeep.status();
  return [
    integrity === 'ok'
      ? ok(
          'database',
          `${engine} at ${location}, ${counted(await app.store.tracked.count(), 'tracked record')}, ${counted(await app.store.quotes.count(), 'quote')}`,
        )
      : wrong(
          'database',
          `the integrity check says: ${integrity}; restore the last backup (tieout db backup makes them)`,
        ),
    ...(pending.length > 0
      ? [wrong('schema', `behind by ${counted(pending.length, 'migration')}; run tieout db migrate`)]
      : []),
  ];
}

function keyCheck({ key, sealedWith }: App): Check {
  if (key.source === 'environment') return ok('sealing key', 'from TIEOUT_SECRET_KEY');
  if (key.source === 'none') {
    const needed = sealedWith.length === 0 ? '' : `the key with id ${sealedWith.join(', ')} is missing: `;
    return misset(
      'sealing key',
      `${needed}none was given, and beside a server there is no key file: set TIEOUT_SECRET_KEY (or TIEOUT_SECRET_KEY_FILE), or nothing can be imported or fetched`,
    );
  }
  return note(
    'sealing key',
    'a key file beside the database: a copy of both can read the tokens. Set TIEOUT_SECRET_KEY (or TIEOUT_SECRET_KEY_FILE) to keep them apart',
  );
}

function outCheck({ settings }: App): Check {
  const folder = firstThatIs(resolve(settings.out));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return ok('out folder', settings.out);
  } catch {
    return wrong(
      'out folder',
      `${settings.out} cannot be written (${folder} denies it); let this user write there or set another out`,
    );
  }
}

/** Nothing where there is enough. */
async function spaceChecks(app: App): Promise<Check[]> {
  const { free, lastNight } = await freeSpace(app);
  return [...free].flatMap(([place, bytes]) =>
    tooLittle(bytes, lastNight)
      ? [
          note(
            'free space',
            `${megabytes(bytes)} left where ${place === 'out' ? 'the out folder' : 'the database'} is${lastNight === null ? '' : `, and the last night wrote ${megabytes(lastNight)}`}: make room before the next night, which would stop half-way`,
          ),
        ]
      : [],
  );
}

/** By the answers of the Service; nothing where none came. */
function clockChecks({ serverTime }: App): Check[] {
  const what = 'clock';
  const ahead = serverTime.median();
  if (ahead === null) return [];
  const remark = serverTime.remark();
  if (remark === null)
    return [ok(what, `within ${counted(Math.ceil(Math.abs(ahead) / 1000), 'second')} of the Service’s`)];
  return [serverTime.isRefused() ? wrong(what, `${remark}; runs write nothing until then`) : note(what, remark)];
}

const megabytes = (bytes: number) =>
  bytes < 1024 ** 2 ? 'less than 1 MB' : `${count(Math.floor(bytes / 1024 ** 2))} MB`;

/** Nothing where sets are not signed: most folders are not. */
function signingCheck({ settings }: App): Check[] {
  const what = 'signing key';
  try {
    const signer = signerFor(settings.publish.signingKeyFile);
    return signer === null ? [] : [ok(what, `${settings.publish.signingKeyFile}, id ${signer.keyId}`)];
  } catch (error) {
    if (!(error instanceof ManifestKeyError)) throw error;
    return [wrong(what, error.message)];
  }
}

async function referenceChecks(app: App): Promise<Check[]> {
  const captures = await app.store.reference.latest();
  const newest = captures.reduce<number | null>((latest, { at }) => Math.max(latest ?? at, at), null);
  if (newest === null) {
    return [
      note(
        'reference data',
        'none yet: bounds, limits and methods cannot be judged for records created before the first capture. Run tieout run reference-data hourly',
      ),
    ];
  }
  return [ok('reference data', `${counted(captures.length, 'kind')}, newest of ${showInstant(newest)}`)];
}

async function allowanceChecks(app: App): Promise<Check[]> {
  const state = await app.limiter.state();
  const others = otherEgressesSay(state);
  return [allowanceCheck(state), ...(others === null ? [] : [note('egress', others)])];
}

function allowanceCheck({ circuit, windows }: LimiterState): Check {
  if (circuit.open) {
    const until = circuit.until === null ? '' : ` until ${showInstant(circuit.until)}`;
    return note('allowance', `the circuit is open${until}: ${circuit.reason ?? 'no reason given'}`);
  }
  if (windows.length === 0) return ok('allowance', 'no limits are configured');
  const used = windows.map(
    ({ requests, perMs, used: taken }) => `${count(taken)} of ${count(requests)} in ${perMs / 60_000} min`,
  );
  return ok('allowance', `${used.join(', ')} used`);
}

/** One endpoint that decides alone can make a delivery missing, or met. */
function chainChecks({ settings }: App): Check[] {
  return settings.evidence.chains.flatMap(({ chain, quorum, endpoints }) =>
    quorum > 1
      ? []
      : [
          note(
            `chain ${chain}`,
            `one of ${counted(endpoints.length, 'endpoint')} decides alone (quorum: 1): ${endpoints.length > 1 ? 'set quorum: 2' : 'add a second endpoint of another provider and set quorum: 2'}`,
          ),
        ],
  );
}

/** Each source is read to its end, and nothing is stored. */
async function sourceChecks({ settings }: App): Promise<Check[]> {
  const checks: Check[] = [];
  for (const source of settings.sources) {
    const { name, read, accepted, rejected, failed, problems } = await readSourceDry(source, settings.statuses);
    const says = `${counted(read, 'line')}: ${count(accepted)} good, ${count(rejected)} to be rejected`;
    const isWell = rejected === 0 && failed === 0;
    checks.push(
      isWell
        ? ok(`source ${name}`, says)
        : wrong(`source ${name}`, [...(read > 0 ? [says] : []), ...problems].join('; ')),
    );
  }
  return checks;
}
