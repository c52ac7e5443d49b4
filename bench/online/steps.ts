/**
 * What one record costs online, step by step, in microseconds of processor time: each step alone, over the same bodies, in this
 * process; the sandbox is another one. The floor of the transport is undici without axios.
 * Run: `node bench/online/steps.ts [records]`; 5000 by default.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { request as bareRequest, Pool } from 'undici';
import { receivedBody } from '../../src/service/evidence.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { KnownTokens } from '../../src/service/known-tokens.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { createTransport } from '../../src/service/transport.ts';
import { deflateText } from '../../src/store/cells.ts';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { KnownSecrets } from '../../src/text/secret-forms.ts';
import { machine, publishTable, type Row, round } from '../support/report.ts';
import { unlimitedSandbox } from '../support/sandbox.ts';

const IN_FLIGHT = 32;
const ROUNDS = 3;

interface Purchase {
  id: string;
  token: string;
  /** Path and query as the client asks for it. */
  path: string;
}

/** Processor time of the cheapest of some rounds, per piece, in microseconds. */
async function cost(pieces: number, work: () => Promise<void> | void): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / pieces);
  }
  return least;
}

function purchasesOf(file: string, url: string): Purchase[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = header.split(',');
  const at = (name: string) => names.indexOf(name);
  return lines
    .map((line) => line.split(','))
    .filter((cells) => cells[at('kind')] === 'purchase')
    .map((cells) => {
      const [id = '', token = ''] = [cells[at('id')], cells[at('view_token')]];
      return { id, token, path: `${new URL(url).pathname}/host-api/purchase/${id}?secret=${token}` };
    });
}

const all = <T>(each: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> => {
  const limit = pLimit(IN_FLIGHT);
  return Promise.all(each.map((one) => limit(() => work(one)))).then(() => undefined);
};

const wanted = Number(process.argv[2] ?? 5000);
console.log(`${machine()}; ${wanted} records, ${IN_FLIGHT} requests in flight\n`);
const folder = mkdtempSync(join(tmpdir(), 'tieout-steps-'));
const sandbox = await unlimitedSandbox(wanted);
try {
  await sandbox.save('tracked', join(folder, 'tracked.csv'));
  const purchases = purchasesOf(join(folder, 'tracked.csv'), sandbox.url);
  const pool = new Pool(new URL(sandbox.url).origin, { connections: IN_FLIGHT, pipelining: 1, allowH2: false });
  const transport = createTransport({ baseUrl: sandbox.url, timeoutMs: 20_000, concurrency: IN_FLIGHT });
  const bodies = new Map<Purchase, Buffer>();
  const bare = await cost(purchases.length, () =>
    all(purchases, async ({ path }) => {
      const { body } = await bareRequest(new URL(path, sandbox.url), { dispatcher: pool });
      await body.arrayBuffer();
    }),
  );
  const sent = await cost(purchases.length, () =>
    all(purchases, async (purchase) => {
      const answer = await transport.send({ method: 'GET', path: purchase.path });
      if (answer.status === 200) bodies.set(purchase, answer.body);
    }),
  );
  await pool.close();
  await transport.close();
  const answers = [...bodies].map(([{ id, token }, bytes]) => ({ id, token, bytes, text: bytes.toString('utf8') }));
  if (answers.length === 0) throw new Error('the sandbox answered no record');

  const parsed = answers.map(({ text }) => parseExactJson(text));
  const sealer = createSealer([Buffer.alloc(32, 7).toString('base64')]);
  const owner = (recordId: string) => ({ what: 'token', kind: 'purchase', recordId }) as const;
  const sealed = answers.map(({ id, token }) => sealer.seal(Buffer.from(token), owner(id)));
  const { store } = await openStore({ url: `sqlite:${folder}/steps.db`, sealer });
  const each = (work: (i: number) => void) => cost(answers.length, () => answers.forEach((_, i) => void work(i)));
  const at = <T>(list: readonly T[], i: number): T => list[i] as T;
  const others = new KnownTokens();
  for (const { token } of answers) others.add(token);
  let tracked = 0;
  const rows: Row[] = [
    { step: 'bare exchange over undici (the floor)', us: bare },
    { step: 'transport: axios over undici, one deadline', us: sent },
    { step: 'exact parsing', us: await each((i) => parseExactJson(at(answers, i).text)) },
    {
      step: 'tokens searched for and cut, body hashed',
      us: await each((i) => {
        const { text, token, bytes } = at(answers, i);
        receivedBody(bytes, text, token, {
          known: () => new KnownSecrets([token]),
          areAbsent: (plain) => others.areAbsent(plain, token),
        });
      }),
    },
    { step: 'schema and normalising', us: await each((i) => normalisePurchase(at(parsed, i), 'Service')) },
    { step: 'body made ready to be stored', us: await each((i) => deflateText(at(answers, i).text)) },
    {
      step: 'SHA-256 of the body alone',
      us: await each((i) => createHash('sha256').update(at(answers, i).bytes).digest()),
    },
    { step: 'token unsealed', us: await each((i) => sealer.unseal(at(sealed, i), owner(at(answers, i).id))) },
    {
      step: 'one row a record, sealed, in transactions of 200',
      us: await cost(answers.length, async () => {
        tracked++;
        for (let from = 0; from < answers.length; from += 200) {
          await store.tracked.add(
            answers.slice(from, from + 200).map(({ id, token }) => ({
              kind: 'purchase',
              id: `${tracked}${id}`,
              token,
              createdAt: null,
              hostReference: null,
              quoteId: null,
              expectedStatus: null,
            })),
            'import',
            0,
          );
        }
      }),
    },
  ];
  await store.close();
  publishTable(
    'online',
    rows.map(({ step, us }) => ({ step: step ?? '', 'µs of processor a record': round(Number(us)) })),
  );
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}
