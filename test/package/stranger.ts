/**
 * A stranger's first evening with the packed program: a shop with a database of its own (shop.mjs), `init` by flags, a first night, and one
 * overcharge that nobody told it of. The commands are those of docs/how-to/connecting.md.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHOP = fileURLToPath(new URL('./shop.mjs', import.meta.url));
const PORT = 4479;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const QUERY =
  'select side as kind, remote_ref as id, remote_secret as view_token, placed as created_at, order_no as host_reference, quote_no as quote_id from customer_orders';
/** Processor time of all commands, seconds. */
const MOST_SECONDS = 60;

/** @param folder with the package installed @throws Error for what a stranger would stumble over */
export async function stranger(folder: string, node: string): Promise<string> {
  const program = join(folder, 'node_modules/tieout/src/cli/tieout.js');
  const env = { PATH: process.env.PATH };
  const sandbox = spawn(
    node,
    [program, 'sandbox', '--records', '1', '--prices', 'still', '--rate-limit', 'off', '--port', String(PORT)],
    {
      cwd: folder,
      env,
      stdio: 'ignore',
    },
  );
  const before = childSeconds();
  try {
    await until(async () => (await fetch(`${ORIGIN}/sandbox/stats`)).ok);
    execFileSync(node, ['--no-warnings', SHOP, ORIGIN, '8'], { cwd: folder, env });
    await post('/sandbox/clock', { advanceMs: 300_000 });
    await overcharge();
    const tieout = (args: readonly string[], mostExit = 0): string => {
      try {
        return execFileSync(node, [program, ...args], {
          cwd: folder,
          env,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
      } catch (error) {
        const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
        if (status > mostExit) throw new Error(`tieout ${args[0]} ended with ${status}: ${stdout}${stderr}`);
        return stdout;
      }
    };
    tieout(['init', '--service', `${ORIGIN}/api`, '--rate-limits', 'off', '--sql', 'sqlite:shop.db', '--query', QUERY]);
    tieout(['doctor'], 1);
    tieout(['quotes', 'import', 'quotes.ndjson']);
    tieout(['run', 'reference-data']);
    tieout(['run'], 1);
    const { breaks } = JSON.parse(tieout(['breaks', 'list', '--json'])) as {
      breaks: { rule: string; host_reference?: string }[];
    };
    const rules = breaks.map(({ rule }) => rule);
    if (!rules.includes('FEE_APPLIED_DIFFERS'))
      throw new Error(`the overcharge was not found, but ${rules.join(', ')}`);
    const widest = Math.max(
      ...tieout(['breaks', 'list'])
        .split('\n')
        .map(({ length }) => length),
    );
    if (widest > 120) throw new Error(`breaks list is ${widest} columns wide`);
  } finally {
    sandbox.kill();
  }
  const seconds = childSeconds() - before;
  if (seconds > MOST_SECONDS) throw new Error(`a first night took ${seconds.toFixed(0)} s of processor time`);
  return `a stranger's first night found the overcharge, in ${seconds.toFixed(1)} s of processor time`;
}

/** Processor time of ended children, where the system counts it; hundredths of a second in /proc. */
function childSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** One order costs 1.50 EUR more than its quote said. */
async function overcharge(): Promise<void> {
  const [order] = (await (await fetch(`${ORIGIN}/sandbox/live`)).json()) as { id: string; view_token: string }[];
  if (order === undefined) throw new Error('the shop has no order');
  const path = `/api/host-api/purchase/${order.id}`;
  const body = (await (await fetch(`${ORIGIN}${path}?secret=${order.view_token}`)).json()) as Record<string, number>;
  const more = (name: string) => (body[name] ?? 0) + 1.5;
  const fees = { appliedFee: more('appliedFee'), baseServiceFee: more('baseServiceFee'), fiatValue: more('fiatValue') };
  await post(`/sandbox/live/${order.id}/tamper`, fees);
}

async function post(path: string, body: object): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(ORIGIN + path, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isTrue().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the sandbox does not answer');
}
