/** What the fuzzer sends: inputs as the Service and applications send them, changed in ways that broke something once, or could. */
import fc from 'fast-check';
import { aPurchase, aSale } from '../service/bodies.ts';

/** Of every record that is fuzzed; nothing that is stored or printed may have it in it, in any encoding. */
export const TOKEN = 'fz7Kq/92+d2=bdhtX';

/** Ways of writing the token. */
const TOKEN_FORMS = [
  TOKEN,
  encodeURIComponent(TOKEN),
  JSON.stringify(JSON.stringify(TOKEN)).slice(1, -1),
  Buffer.from(TOKEN).toString('base64'),
  Buffer.from(TOKEN).toString('hex'),
  Buffer.from(`id=${TOKEN}`).toString('base64url'),
  [...TOKEN].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
];

const digits = (max: number) => fc.stringMatching(/^[0-9]+$/, { maxLength: max });

/** Every form of a JSON number, from nothing to far beyond what an amount can be. */
const number = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1e119',
    '1e-119',
    '1e39',
    '1e40',
    '1e-40',
    '1e-41',
    '9'.repeat(40),
    '9'.repeat(41),
  ),
  fc.constantFrom(
    '0e-119',
    '1E+2',
    '1e400',
    '0.1e1',
    `0.${'1'.repeat(40)}`,
    `0.${'1'.repeat(41)}`,
    '-1',
    '1'.repeat(119),
  ),
  fc
    .tuple(fc.constantFrom('', '-'), fc.nat(), digits(60), fc.option(fc.integer({ min: -130, max: 130 })))
    .map(([sign, whole, part, exponent]) => `${sign}${whole}.${part || '0'}${exponent === null ? '' : `e${exponent}`}`),
);

const name = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '\u202eRTL',
  '\u001b[2J',
  '=1+1',
  'EUR',
);

const text = fc.oneof(
  name.map((value) => JSON.stringify(value)),
  fc.constantFrom(...TOKEN_FORMS).map((value) => JSON.stringify(`x${value}`)),
  fc.constant(`"x\\u00${TOKEN.charCodeAt(0).toString(16)}${JSON.stringify(TOKEN.slice(1)).slice(1)}`),
  fc.string({ maxLength: 40 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\ud800"', '"9999-01-01T00:00:00Z"', '"0000-01-01T00:00:00Z"', '"2026-11-01T10:00:00+99:99"'),
  fc.constantFrom(
    '"+010000-01-01T00:00:00Z"',
    '"-271821-04-20T00:00:00Z"',
    `"${'a'.repeat(38)}"`,
    '"2016-02-30T00:00:00Z"',
  ),
);

const value = fc.oneof(
  number,
  text,
  number.map((digits) => `"${digits}"`),
  fc.json({ maxDepth: 3 }),
);

const FIELDS = [
  'endTime',
  'asset',
  'cryptoAmount',
  'fiatCurrency',
  'fiatValue',
  'assetExchangeRate',
  'assetExchangeRateEur',
  'fiatExchangeRateEur',
  'baseServiceFee',
  'networkFee',
  'appliedFee',
  'hostFeeCut',
  'receiverAddress',
  'createdAt',
  'updatedAt',
  'status',
  'finalTxHash',
  'paymentMethodType',
  'debug',
  '__proto__',
];

const asset = fc
  .record({ symbol: text, chain: text, decimals: fc.constantFrom('0', '18', '36', '37', '-1', '1e1'), type: text })
  .map(
    ({ symbol, chain, decimals, type }) =>
      `{"symbol":${symbol},"chain":${chain},"decimals":${decimals},"type":${type}}`,
  );

const changes = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 3, noNullPrototype: false });

/** Texts that make parsers work hard. */
const hard = fc
  .tuple(
    fc.constantFrom('"\\', '[', '{"a":', '"purchaseViewToken":[', '"purchaseViewToken":"\\"', '%25', 'token = ', ' '),
    fc.integer({ min: 1, max: 60_000 }),
  )
  .map(([piece, times]) => piece.repeat(Math.min(times, Math.floor(200_000 / piece.length))));

/** A purchase's body: mostly one that can be read, with a few fields of another making; sometimes no JSON at all. */
export const purchaseBody = (id: string) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.tuple(changes, fc.option(asset, { freq: 3 })).map(([fields, other]) =>
        aPurchase({
          id: JSON.stringify(id),
          purchaseViewToken: JSON.stringify(TOKEN),
          ...fields,
          ...(other && { asset: other }),
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: hard.map((more) => `${aPurchase({ id: JSON.stringify(id) }).slice(0, -1)},"more":${more}`),
    },
    { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
    { weight: 1, arbitrary: hard },
  );

export const saleBody = (id: string) => changes.map((fields) => aSale({ id: JSON.stringify(id), ...fields }));

/** A line of NDJSON with a quote. */
export const quoteLine = fc
  .tuple(fc.uuid(), value, value, value, changes, fc.constantFrom('v1', 'v3'), fc.constantFrom('onramp', 'offramp'))
  .map(([id, fiatValue, appliedFee, networkFee, further, api, direction]) => {
    const method = `{"fiatCurrency":"EUR","cryptoAmount":"40000000000000000","fiatValue":${fiatValue},"baseServiceFee":3.9,"appliedFee":${appliedFee}}`;
    const eth = `{"symbol":"ETH","chain":"ETH","name":"Ether","decimals":18,"type":"NATIVE","logoUrl":"","enabled":true,"hidden":false,"price":{"EUR":2500},"currencyCode":"EUR","minPurchaseAmount":-1,"maxPurchaseAmount":-1,"minPurchaseCryptoAmount":"-1","networkFee":${networkFee}}`;
    const more = Object.entries(further).map(([key, each]) => `,${JSON.stringify(`x${key}`)}:${each}`);
    const request = `{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":${fiatValue}}`;
    return `{"quote_id":"${id}","direction":"${direction}","api_version":"${api}","captured_at":"2026-11-01T09:58:00Z","request":${request},"response":{"asset":${eth},"CARD_PAYMENT":${method}${more.join('')}}}`;
  });

const cell = fc.oneof(
  fc.constantFrom(
    'purchase',
    'sale',
    'a',
    'id1',
    '"',
    '""',
    '\u0000',
    '2026-11-01T10:00:00Z',
    '=1',
    '9999-01-01T00:00:00Z',
  ),
  fc.constant(TOKEN),
  fc.string({ maxLength: 20 }),
);

/** A file of ids: sometimes with a header, with any line ends, and with cells where they do not belong. */
export const idsFile = fc
  .tuple(
    fc.constantFrom('kind,id,view_token', `kind,id,view_token,${TOKEN}`, 'id;view_token', '', `purchase,a,${TOKEN}`),
    fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n', '\r', '\n\r', '\u2028'),
  )
  .map(([header, lines, end]) => [header, ...lines.map((cells) => cells.join(','))].join(end));
