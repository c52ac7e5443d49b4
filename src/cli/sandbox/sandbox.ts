/** `tieout sandbox`: the Service on loopback, until a signal stops it. */
import { InvalidArgumentError } from 'commander';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { snakeCase } from '../output.ts';
import { untilStopped } from '../session.ts';

/** @throws InvalidArgumentError */
export function share(text: string): number {
  const value = /^(?:0|1|0?\.\d{1,6})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new InvalidArgumentError('It must be a share between 0 and 1, as 0.03.');
  return value;
}

function portNumber(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : -1;
  if (value < 0 || value > 65_535) throw new InvalidArgumentError('It must be a port from 0 (any free one) to 65535.');
  return value;
}

export const MARKET = [
  '--market <on|off>',
  'whether prices float between a quote and its execution',
  ['on', 'off'],
  'on',
] as const;

export const register: Register = (program) => {
  command(program, 'sandbox', {
    details:
      'Serves every endpoint of the REST API on loopback. /sandbox/tracked and /sandbox/quotes give the files to ' +
      'import, /sandbox/answers lists the defects.',
    examples: [
      'tieout sandbox --records 20000 --defects 0.03',
      'curl -s localhost:4010/sandbox/tracked | tieout import -',
    ],
  })
    .option('--port <port>', 'port on 127.0.0.1', portNumber, 4010)
    .option('--records <n>', 'number of purchases and sales', positiveNumber, 2000)
    .option('--seed <n>', 'the same seed gives the same history', positiveNumber, 7)
    .option('--days <n>', 'days of history', positiveNumber, 30)
    .option('--defects <share>', 'share of records with a defect', share, 0)
    .choice('--rate-limit <on|off>', 'enforce the limits of real deployments', ['on', 'off'], 'on')
    .option('--identifier-name <name>', 'name in identifiers, as service.identifierName', String, 'Service')
    .option('--speed <n>', 'factor for the pace of new records and webhook retries', positiveNumber, 1)
    .choice(...MARKET)
    .choice('--prices <moving|still>', 'change prices every minute, or never', ['moving', 'still'], 'moving')
    .choice(
      '--bodies <spec|observed>',
      'bodies as the specification declares them, or as seen in deployments',
      ['spec', 'observed'],
      'spec',
    )
    .option('--partner', 'five months of purchases besides, and a partner who pays for them: /sandbox/partner')
    .choice('--webhooks <bare|envelope>', 'the record alone, or with an event type (default: by --bodies)', [
      'bare',
      'envelope',
    ])
    .runs(async (session, flags) => {
      const { createSandbox } = await import('../../sandbox/sandbox.ts');
      const { rateLimit, ...options } = flags;
      const sandbox = await createSandbox({
        ...options,
        clock: session.clock.wall.now,
        datesAnswers: true,
        rateLimits: rateLimit,
      });
      session.releasers.push('sandbox', () => sandbox.close());
      const { url, hostApiKey, origin, webhookPublicKey } = sandbox;
      const words = `The Service is at ${url} (TIEOUT_SERVICE_URL); its integration key is ${hostApiKey}.
Ids to import: ${origin}/sandbox/tracked   quotes: ${origin}/sandbox/quotes   answers: ${origin}/sandbox/answers
Buy and sell in a browser: ${origin}/   key of its webhooks: ${origin}/sandbox/webhook-key   their deliveries: ${origin}/sandbox/deliveries
The API to browse: ${origin}/docs   as OpenAPI 3.1: ${origin}/openapi.json
Stop it with Ctrl-C.`;
      await session.out.result(snakeCase({ url, hostApiKey, widgetUrl: origin, webhookPublicKey }), words);
      await untilStopped(session.signal);
    });
};
