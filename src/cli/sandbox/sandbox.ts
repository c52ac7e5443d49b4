/** `tieout sandbox`: the Service on loopback, until a signal stops it. */
import { InvalidArgumentError } from 'commander';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
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
      if (session.out.json) {
        await session.out.value({
          url: sandbox.url,
          host_api_key: sandbox.hostApiKey,
          widget_url: sandbox.origin,
          webhook_public_key: sandbox.webhookPublicKey,
        });
      } else {
        await session.out.line(
          `The Service is at ${sandbox.url} (TIEOUT_SERVICE_URL); its integration key is ${sandbox.hostApiKey}.`,
        );
        await session.out.line(
          `Ids to import: ${sandbox.origin}/sandbox/tracked   quotes: ${sandbox.origin}/sandbox/quotes   answers: ${sandbox.origin}/sandbox/answers`,
        );
        await session.out.line(
          `Buy and sell in a browser: ${sandbox.origin}/   key of its webhooks: ${sandbox.origin}/sandbox/webhook-key   their deliveries: ${sandbox.origin}/sandbox/deliveries`,
        );
        await session.out.line(
          `The API to browse: ${sandbox.origin}/docs   as OpenAPI 3.1: ${sandbox.origin}/openapi.json`,
        );
        await session.out.line('Stop it with Ctrl-C.');
      }
      await untilStopped(session.signal);
    });
};
