/** `tieout sandbox`: the Service on loopback, until a signal stops it. */
import { InvalidArgumentError, Option } from 'commander';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { untilStopped } from '../session.ts';

interface SandboxFlags {
  port: number;
  records: number;
  seed: number;
  days: number;
  defects: number;
  rateLimit: 'on' | 'off';
  identifierName: string;
  speed: number;
  prices: 'moving' | 'still';
  market: 'on' | 'off';
  bodies: 'spec' | 'observed';
  webhooks?: 'bare' | 'envelope';
  partner?: boolean;
}

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

export const marketOption = () =>
  new Option('--market <on|off>', 'whether prices float between a quote and its execution')
    .choices(['on', 'off'])
    .default('on');

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
    .addOption(new Option('--port <port>', 'port on 127.0.0.1').argParser(portNumber).default(4010))
    .addOption(new Option('--records <n>', 'number of purchases and sales').argParser(positiveNumber).default(2000))
    .addOption(new Option('--seed <n>', 'the same seed gives the same history').argParser(positiveNumber).default(7))
    .addOption(new Option('--days <n>', 'days of history').argParser(positiveNumber).default(30))
    .addOption(new Option('--defects <share>', 'share of records with a defect').argParser(share).default(0))
    .addOption(
      new Option('--rate-limit <on|off>', 'enforce the limits of real deployments')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(
      new Option('--identifier-name <name>', 'name in identifiers, as service.identifierName').default('Service'),
    )
    .addOption(
      new Option('--speed <n>', 'factor for the pace of new records and webhook retries')
        .argParser(positiveNumber)
        .default(1),
    )
    .addOption(marketOption())
    .addOption(
      new Option('--prices <moving|still>', 'change prices every minute, or never')
        .choices(['moving', 'still'])
        .default('moving'),
    )
    .addOption(
      new Option('--bodies <spec|observed>', 'bodies as the specification declares them, or as seen in deployments')
        .choices(['spec', 'observed'])
        .default('spec'),
    )
    .option('--partner', 'five months of purchases besides, and a partner who pays for them: /sandbox/partner')
    .addOption(
      new Option(
        '--webhooks <bare|envelope>',
        'the record alone, or with an event type (default: by --bodies)',
      ).choices(['bare', 'envelope']),
    )
    .runs(async (session, flags: SandboxFlags) => {
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
