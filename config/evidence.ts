/** The settings of sources that the Service does not write: endpoints of chains. */
import { NAME } from './connections.ts';
import {
  always,
  decimal,
  distinct,
  duration,
  either,
  filledList,
  list,
  namedMap,
  oneOf,
  optional,
  orWord,
  type Reader,
  rateLimits,
  reader,
  SettingProblem,
  strict,
  text,
  timezone,
  wholeNumber,
} from './readers.ts';
import { section, setting } from './setting.ts';

/** `{key}` stands for the first line of keyFile. */
const endpointUrl: Reader<string> = reader(
  'an http or https address, in which {key} stands for the first line of keyFile',
  (value) => {
    const url = URL.parse(value.replace('{key}', 'key'));
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
    return url.hash === '' ? value : new SettingProblem('must not have a fragment');
  },
);

const endpoint = strict({
  name: text('a name, the only one of the endpoint in evidence', NAME),
  url: endpointUrl,
  keyFile: optional(text('the path of a file with the key on its first line', /^[^\0]{1,4096}$/)),
  batch: wholeNumber(1, 1000).prefault('20'),
  concurrency: wholeNumber(1, 64).prefault('4'),
  rateLimits: rateLimits(10_000_000).prefault('off'),
  timeout: duration('1s', '5m').prefault('20s'),
  trace: oneOf(['off', 'debug', 'trace']).prefault('off'),
});

const chain = strict({
  chain: text('a chain as records name it, such as ETH', /^[A-Z][A-Z0-9_-]{0,31}$/),
  type: oneOf(['evm', 'bitcoin', 'solana']),
  chainId: optional(wholeNumber(1, 999_999_999)),
  genesis: optional(text('the hash of the first block', /^[0-9A-Za-z]{32,66}$/)),
  quorum: wholeNumber(1, 9).prefault('1'),
  finality: orWord('finalized', wholeNumber(1, 10_000)).prefault('finalized'),
  endpoints: filledList(endpoint),
});

const chains = list(chain)
  .check(distinct('chain', 'is the chain of another entry too'))
  .check(
    always((value, bad) => {
      for (const [index, item] of value.entries()) {
        if (item === null || typeof item !== 'object') continue;
        const { type, finality, quorum, endpoints } = item;
        if (Array.isArray(endpoints) && quorum > endpoints.length)
          bad('is more than there are endpoints', [index, 'quorum'], String(quorum));
        if (type === 'solana' && finality !== 'finalized')
          bad('must be finalized: Solana says itself what is final', [index, 'finality'], String(finality));
        if (type === 'bitcoin' && finality === 'finalized')
          bad('must be a number of blocks: Bitcoin has no finality of its own', [index, 'finality'], finality);
      }
    }),
  );

const amounts = namedMap(decimal(null, 'in major units'), 'a currency or default', (name) =>
  /^(?:default|[A-Z]{3})$/.test(name) ? true : 'is no ISO 4217 code and not default',
);

const threshold = strict({
  amount: decimal(null, 'in major units'),
  currency: text('an ISO 4217 code', /^[A-Z]{3}$/),
  scope: oneOf(['all', 'currency']),
});

const leastPayout = either(
  threshold,
  amounts,
  (value) => typeof value === 'object' && value !== null && 'amount' in value,
);

const SYMBOL = /^[A-Z][A-Z0-9.]{1,15}$/;

const treasuryAsset = strict({
  symbol: text('the symbol of a token or coin, such as USDC', SYMBOL),
  contract: optional(text('the address of the token contract, or the mint', /^[0-9A-Za-z]{32,66}$/)),
  decimals: wholeNumber(0, 36),
  pays: optional(text('an ISO 4217 code', /^[A-Z]{3}$/)),
  rate: optional(decimal(null, 'in units of the asset for one of that currency')),
}).check(
  always((value, bad) => {
    if ((value.pays === null) === (value.rate === null)) return;
    bad('is missing: pays and rate are stated together', [value.pays === null ? 'pays' : 'rate'], null);
  }),
);

const treasury = list(
  strict({
    chain: text('a chain of evidence.chains', /^[A-Z][A-Z0-9_-]{0,31}$/),
    addresses: filledList(text('an address of the host', /^[0-9A-Za-z]{20,100}$/)),
    assets: filledList(treasuryAsset),
  }),
);

export const evidence = section(
  'Evidence from other sources than the Service, all optional: without endpoints no request is sent, and the rules on deliveries do not apply.',
  {
    chains: setting(
      [],
      chains,
      'Endpoints of chains, by the name that records have for the chain. type: evm, bitcoin (Esplora) or solana. quorum: how many ' +
        'endpoints must say the same. chainId (EVM) and genesis (Bitcoin, Solana: hash of the first block) refuse an endpoint of ' +
        'another chain. finality: finalized, or blocks on top (Bitcoin: 6 is usual). batch: JSON-RPC calls in one ' +
        'request. trace: how an EVM endpoint shows coins that moved inside contract calls. rateLimits count requests.',
      {
        example:
          '- chain: ETH\n  type: evm\n  chainId: 1\n  quorum: 2\n  endpoints:\n' +
          '    - { name: alpha, url: "https://alpha.example/v2/{key}", keyFile: /run/secrets/alpha, trace: debug }\n' +
          '    - { name: beta, url: "https://beta.example/eth", batch: 10, rateLimits: [{ requests: 5, per: 1s }] }',
      },
    ),
    payouts: section("Payments of the host's revenue, compared with the accrual (`tieout payouts import`).", {
      expected: setting(
        'auto',
        oneOf(['auto', 'always', 'never']),
        'Whether nights expect payments. auto: from the first imported statement on.',
      ),
      within: setting(
        '30d',
        duration('1d', '730d'),
        'How long after the end of a month the partner has to pay for it; a break opens only after that.',
      ),
      week: setting(
        null,
        optional(wholeNumber(1, 4)),
        'The week of the month after in which the partner pays for a month (4: up to the 28th), instead of within.',
      ),
      minimum: setting(
        {},
        leastPayout,
        'The smallest payout: a month that earned less is paid with the next one. By currency, with default for all others; or { amount, currency, ' +
          'scope }, where scope all compares the sum over all currencies with it, at the rates of the records, and scope currency each currency alone.',
        { example: 'amount: 5000\ncurrency: EUR\nscope: all' },
      ),
      below: setting(
        'carry',
        oneOf(['carry', 'quarter']),
        'When an amount below the smallest payout is paid: with the month that reaches it (carry), or at the latest with the last month of the quarter.',
      ),
      terms: setting(
        'own',
        oneOf(['own', 'monthly-from-5000']),
        'Terms of a partner as they are published: monthly-from-5000 pays in the fourth week, monthly from 5,000 EUR over all currencies, else quarterly. own: week, within, minimum and below decide.',
      ),
      materiality: setting(
        { default: '0' },
        amounts,
        'By currency and default: a month whose payments differ by no more than this is listed and summed, and its break is low instead of high.',
        { example: 'default: 1\nUSD: 5' },
      ),
      exchange: setting(
        '0.02',
        decimal('1', 'as a share of the payment'),
        'How much of a payment for several currencies, or of a converted line, exchange rates may explain: it is an exchange difference, and no break.',
      ),
      treasury: setting(
        [],
        treasury,
        "The host's own addresses on chains, and the assets in which its share is paid there (`tieout payouts import --chain`). An " +
          "asset without a contract is the chain's own coin. pays and rate: the currency of the revenue, and units of the asset for " +
          'one of it; without them the payment is in the asset alone, and settles a month only at the rate that a statement names.',
        {
          example:
            '- chain: ETH\n  addresses: ["0x52908400098527886E0F7030069857D2E4169EE7"]\n  assets:\n' +
            '    - { symbol: USDC, contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", decimals: 6, pays: USD, rate: 1 }',
        },
      ),
      timezone: setting(
        null,
        optional(timezone),
        "The time zone in which the partner's months begin, if it is not that of the business days. The months of records and journals do not change.",
      ),
      partner: setting(
        null,
        optional(text('a name', /^[^\p{Cc}]{1,100}$/u)),
        "Who pays the host's share, as the reconciliation names it; without it, the Service's own name (`service.identifierName`).",
      ),
      posted: setting(
        null,
        optional(text('the path of a CSV with month, currency and amount', /^[^\0]{1,4096}$/)),
        'Path of the revenue as it was posted in the books: a CSV with month (2026-10), currency and amount.',
      ),
    }),
    deliveredWithin: setting(
      { default: '6h' },
      namedMap(duration('1m', '30d'), 'an asset, a chain or default', (name) =>
        /^(?:default|[A-Z][A-Za-z0-9_.-]{0,63})$/.test(name)
          ? true
          : 'is no chain (ETH), no asset (ETH_USDC) and not default',
      ),
      'How long after its release a purchase may be delivered, by asset, by chain, and default for all others.',
      { example: 'default: 6h\nBTC: 24h\nETH_USDC: 2h' },
    ),
  },
);
