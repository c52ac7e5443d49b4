/**
 * `tieout service`: calls one endpoint of the Service and prints its answer unchanged, except for view tokens, which
 * are removed.
 */

import { Argument } from 'commander';
import { openClient } from '../../app/open-client.ts';
import { readTextFile } from '../../app/read-csv.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import type { RawCall } from '../../ports/service.ts';
import { exitOfStatus } from '../../ports/service-errors.ts';
import { indentedJson } from '../../text/indented-json.ts';
import { command, type Register } from '../context.ts';
import { nameAndValue } from '../flags.ts';
import { printable } from '../table.ts';

const NAMES = [
  'assets',
  'offramp-assets',
  'payment-methods',
  'payout-methods',
  'currencies',
  'countries',
  'quote',
  'offramp-quote',
  'purchase',
  'sale',
] as const satisfies readonly RawCall['name'][];

/** The version of an endpoint where --api is not given; v3 for the others. */
const NEWEST: Partial<Record<RawCall['name'], RawCall['api']>> = { countries: 'v1', purchase: 'v1' };

/** Parameters that the client adds by itself: command lines are readable by others on the machine. */
const SECRETS = [
  ['secret', 'the stored view token is sent, or that of --token-file'],
  ['hostApiKey', 'TIEOUT_HOST_API_KEY is sent where it is set'],
] as const;

export const register: Register = (program) => {
  command(program, 'service', {
    details:
      'Requests count against the limits. A purchase or sale is read with its stored view token; a token that\n' +
      'is not stored is read from a file, because no secret is ever a flag. Quotes take their request as JSON. Exits with 2\n' +
      'if the Service rejects the request as wrong, and with 4 if it is unavailable.',
    examples: [
      'tieout service assets --api v3 --query currencyCode=USD',
      'tieout service purchase sqs6a428mqjtzbv',
      `tieout service quote --body '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":100}'`,
    ],
  })
    .addArgument<(typeof NAMES)[number]>(new Argument('<name>', 'endpoint').choices(NAMES))
    .argument('[id]', 'id of the purchase or sale')
    .choice('--api <version>', 'API version, where versions differ', ['v1', 'v2', 'v3'])
    .option('--query <name=value...>', 'query parameters')
    .option('--body <json>', 'request body of a quote, or @FILE')
    .option('--token-file <file>', 'file with the view token of a record that is not tracked')
    .runs(async (session, endpoint, id, flags) => {
      const needsId = endpoint === 'purchase' || endpoint === 'sale';
      if (needsId && id === undefined) throw new UsageError(`the id is missing: tieout service ${endpoint} ID`);
      if (!needsId && id !== undefined) throw new UsageError(`${id}: tieout service ${endpoint} takes no id`);
      const body = bodyOf(endpoint, flags.body);
      const query = Object.fromEntries((flags.query ?? []).map((pair) => nameAndValue('--query', pair)));
      for (const [name, remedy] of SECRETS)
        if (name in query) throw new UsageError(`no secret is ever a flag (--query ${name}); ${remedy}`);
      const app = await session.app();
      const { tokenFile } = flags;
      const [tracked] =
        id === undefined || tokenFile !== undefined
          ? []
          : (await app.store.tracked.find(id)).filter(({ kind }) => kind === endpoint);
      const read = () => (tracked === undefined ? null : app.store.tracked.token(tracked.kind, tracked.id));
      const token =
        tokenFile === undefined ? await read() : readTextFile(tokenFile, `--token-file ${tokenFile}`).trim();
      if (needsId && token === null) {
        throw new UsageError(
          `${id} is not tracked as a ${endpoint}; import it, or give its view token with --token-file`,
        );
      }
      const client = openClient(app, app.limiter);
      session.releasers.push('connections', () => client.close());
      const answer = await client.raw({
        name: endpoint,
        api: flags.api ?? NEWEST[endpoint] ?? 'v3',
        query,
        ...(id === undefined ? {} : { id: tracked?.id ?? id }),
        ...(!needsId || token === null ? {} : { token }),
        ...(body === undefined ? {} : { body }),
      });
      const { cutTokens } = await import('../../service/evidence.ts');
      // Output is pasted into tickets and chats; the token is available at the source of the id.
      const shown = cutTokens(answer.body, needsId ? token : null);
      await session.out.line(printable(indentedJson(shown)));
      if (answer.httpStatus < 400) return EXIT.clean;
      session.screen.write(`The Service answered HTTP ${answer.httpStatus}.\n`);
      return exitOfStatus(answer.httpStatus);
    });
};

/** What a quote asks for: JSON, because each request counts against the limits, also one that cannot be read. */
function bodyOf(endpoint: RawCall['name'], given: string | undefined): string | undefined {
  if (endpoint !== 'quote' && endpoint !== 'offramp-quote') {
    if (given !== undefined) throw new UsageError(`--body: only quotes take one, and ${endpoint} is none`);
    return undefined;
  }
  if (given === undefined) throw new UsageError('--body: missing; a quote takes its request as JSON, or @FILE');
  const body = given.startsWith('@') ? readTextFile(given.slice(1), `--body ${given}`) : given;
  try {
    JSON.parse(body);
  } catch {
    throw new UsageError(`--body ${given.slice(0, 60)}: is not JSON`);
  }
  return body;
}
