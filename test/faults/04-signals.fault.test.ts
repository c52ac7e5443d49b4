/** SIGTERM and SIGINT at every stage of every long command. */
import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import { expect } from 'vitest';
import { until } from '../e2e/support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Meddling, passing } from './harness/proxy.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET, type Scene, type ServiceSettings } from './harness/scene.ts';

const CODES = { SIGTERM: 143, SIGINT: 130 } as const;
type Stop = keyof typeof CODES;
const SIGNALS = Object.keys(CODES) as Stop[];
const ALLOWED_SECONDS = 30;
const RECORDS = 60;
/** Stops at once: most of a stop is waiting. */
const LANES = 3;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const slowly: Meddling = async (call) => {
  await pause(100);
  await call.pass();
};

/** Answers for a while, and then not at all. */
function hangingAfter(answers: number): Meddling {
  let passed = 0;
  return (call) => (passed++ < answers ? call.pass() : undefined);
}

/** A head at once, and then a byte now and again. */
function drippingAfter(answers: number): Meddling {
  let passed = 0;
  return async (call) => {
    if (passed++ < answers) return call.pass();
    call.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
    const drip = setInterval(() => call.response.write(' '), 100);
    call.response.on('close', () => clearInterval(drip));
  };
}

interface Stage {
  name: string;
  args: readonly string[];
  service?: ServiceSettings;
  meddle?: Meddling;
  /** Resolves when the signal is due. */
  due: (scene: Scene, told: () => string) => Promise<void>;
  /** Whether it was stopped before the run's end: then `--resume` does the rest. */
  resumes: boolean;
  /** Both, where nothing is said; the ones that take the whole deadline get one each. */
  signals?: readonly Stop[];
}

const arrived = (count: number) => async (scene: Scene) => {
  const before = scene.proxy.arrivals.length;
  await until(`${count} were asked for`, () => scene.proxy.arrivals.length - before >= count);
};

function stages(row: Row): Stage[] {
  const random = seededRandom(row.seed);
  const run = ['run', '--date', SCENE_DATE];
  const timeout = row.isShort ? '3s' : '20s';
  const all: Stage[] = [
    { name: 'fetching', args: run, meddle: slowly, due: arrived(12), resumes: true },
    {
      name: 'waiting for a slot',
      args: run,
      service: { rateLimits: '[{ requests: 5, per: 1m }]' },
      due: async (scene) => {
        // Nightly work is spread evenly: the second of them leaves twelve seconds after the first.
        await arrived(1)(scene);
        await pause(300);
      },
      resumes: true,
    },
    {
      name: 'the Service hangs',
      args: run,
      meddle: hangingAfter(10),
      signals: ['SIGTERM'],
      service: { timeout },
      due: arrived(14),
      resumes: true,
    },
    {
      name: 'the Service drips',
      args: run,
      meddle: drippingAfter(10),
      signals: ['SIGINT'],
      service: { timeout },
      due: arrived(14),
      resumes: true,
    },
    {
      name: 'judging or publishing',
      args: run,
      due: async (scene) => {
        await arrived(RECORDS)(scene);
        await pause(random() * 150);
      },
      resumes: false,
    },
    {
      name: 'serving',
      args: ['serve', '--json'],
      due: (_, told) => until('it listens', () => told().length > 0),
      resumes: false,
    },
    { name: 'scheduling', args: ['schedule', '--json'], due: () => pause(1_500), resumes: false },
  ];
  return row.isShort ? all.filter(({ name }) => /^(?:fetching|waiting|the Service hangs|serving)/.test(name)) : all;
}

faultRow(
  {
    number: 4,
    fault: 'SIGTERM or SIGINT at any stage',
    how: 'signals to `run`, `serve` and `schedule` while they fetch, wait for a slot, wait for a hanging or dripping answer, judge, publish, or are idle',
    mustHold: `the state is saved; exit 143 or 130 within ${ALLOWED_SECONDS} s; --resume does the rest; no set is half published`,
  },
  async (row) => {
    const lane = pLimit(LANES);
    const stops = await Promise.all(
      stages(row).flatMap((stage) =>
        (row.isShort ? SIGNALS.slice(0, 1) : (stage.signals ?? SIGNALS)).map((signal) =>
          lane(async () => {
            const stop = await stopOnce(stage, signal);
            row.say(`${stage.name}, ${signal}: ${stop.seconds.toFixed(2)} s`);
            return stop;
          }),
        ),
      ),
    );
    const worst = Math.max(...stops.map(({ seconds }) => seconds));
    row.measured('signals', stops.length);
    row.measured('longest stop, s', worst.toFixed(2));
    row.measured(
      'records requested again (their answers hung)',
      stops.reduce((sum, { repeated }) => sum + repeated, 0),
    );
    expect(worst).toBeLessThan(ALLOWED_SECONDS);
  },
);

async function stopOnce(stage: Stage, signal: Stop): Promise<{ seconds: number; repeated: number }> {
  await using scene = await openScene({
    records: RECORDS,
    settings: 'webhooks: { port: 0, requireSignature: false }\n',
  });
  const { place, proxy } = scene;
  scene.configure(stage.service);
  proxy.meddle = stage.meddle ?? passing;
  let told = '';
  const running = place.start(stage.args);
  for (const stream of [running.child.stdout, running.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
  }
  await stage.due(scene, () => told);
  const at = performance.now();
  running.child.kill(signal);
  const { code: own, err } = await running.done;
  // A process that has nothing left to save, and is on its way out, dies of the signal: to a shell that is the same code.
  const code = own ?? (running.child.signalCode === signal ? CODES[signal] : null);
  const seconds = (performance.now() - at) / 1000;
  // A run that was over before the signal came has its own code, and its set.
  const published = existsSync(place.path('out', SCENE_SET, 'manifest.json'));
  if (!published) expect(code, `${stage.name}, ${signal}: ${err}`).toBe(CODES[signal]);
  else expect(code, `${stage.name}: ${err}`).toBeOneOf([CODES[signal], 1]);
  if (stage.resumes) expect(published, stage.name).toBe(false);
  if (stage.args[0] === 'run' && !published) await expectResumed(scene);
  return { seconds, repeated: proxy.repeated() };
}

async function expectResumed(scene: Scene): Promise<void> {
  const { place, proxy, ids } = scene;
  scene.configure();
  proxy.meddle = passing;
  const resumed = await place.process(['run', '--resume', '--json']);
  expect(resumed.code, resumed.err + resumed.out).toBe(1);
  expect(place.manifest(SCENE_SET)).toMatchObject({ population: ids.length, status: 'complete' });
  expect(ids.filter((id) => proxy.count(id) === 0)).toEqual([]);
  expect(await place.process(['verify', 'out'])).toMatchObject({ code: 0 });
}
