/**
 * Files and addresses that people give, changed at random: statements, price lists, settings, manifests, archives, filters. Each reader ends
 * within a second with a value or an error of Tieout, and takes no name of the text for one of its own.
 */
import fc from 'fast-check';
import { loadSettings } from '../../config/load.ts';
import { readPostings } from '../../src/app/postings.ts';
import { priceListIn } from '../../src/app/prices.ts';
import { TieoutError } from '../../src/domain/errors.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { readManifest } from '../../src/publish/manifest.ts';
import { readEventBody } from '../../src/service/webhook-body.ts';
import { checkArchive } from '../../src/store/archive-file.ts';
import { parseDatabaseUrl } from '../../src/store/database-url.ts';
import { readWidgetUrl } from '../../src/widget/url.ts';
import { readView } from '../../src/worklist/view.ts';
import { STATEMENT_TERMS } from '../support/builders.ts';
import { LONGEST_SEARCH_MS } from './in-process.ts';

interface Reader {
  honest: string;
  /** Characters that it is given at most, where its library is slow. */
  most?: number;
  read: (text: string) => unknown;
}

const CAMT = `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Ntry>
<Amt Ccy="EUR">12.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>false</RvslInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt>
<AcctSvcrRef>r1</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>REV 2026-10</EndToEndId></Refs><Amt Ccy="EUR">12.50</Amt><AmtDtls><TxAmt>
<CcyXchg><SrcCcy>USD</SrcCcy><TrgtCcy>EUR</TrgtCcy><XchgRate>0.92</XchgRate></CcyXchg></TxAmt></AmtDtls><RmtInf><Ustrd>a &amp; b</Ustrd></RmtInf>
</TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
const MT940 = `:20:x\n:25:DE1/2\n:60F:C261101EUR1,00\n:61:2611051105RC12,50NTRFNONREF//B1\n:86:166?00CREDIT?20REV 2026-10?21MORE\n more\n:61:261106C7,NMSCREV\n:62F:D261106EUR4,50\n-\n`;
const CSV = `date;amount;currency;reference;id;settles;withheld;chain;tx_hash\n2026-11-05;"1.234,50";EUR;REV 2026-10;a1;600 EUR @ 1.10 + 250 USD;1;ETH;0x${'ab'.repeat(32)}\n2026-11-06;7;GBP;"x\ny";;;;;\n`;
const PRICES = `name: Partner\ntimezone: Europe/Paris\nversions:\n  - version: "2026"\n    from: 2026-01-01\n    to: 2026-06-01\n    fees:\n      - { method: PIX, currency: BRL, percent: 1.5, minimum: "2 BRL" }\n      - { percent: 2 }\n`;
const SETTINGS = `service: { url: "https://service.example/api", rateLimits: [{ requests: 100, per: 1m }] }\ntimezone: Europe/Paris\nschedule: { jobs: { nightly: "15 4 * * *" } }\nretention: { snapshots: 90d }\n`;
const MANIFEST = `{"version":1,"run":{"id":"nightly-2026-11-24-r1"},"files":[{"name":"breaks.csv","sha256":"${'ab'.repeat(32)}","rows":3}],"previous":null}`;
const ARCHIVE = `{"format":"tieout archive 2","schema":"0051-odd-steps","runs":["a"],"columns":{"runs":["run_key"]}}\n["runs",[1]]\n{"rows":2,"sha256":"x"}\n`;

/** YAML takes up to 30 µs a character, and csv-parse up to 30 µs a row that is too short. */
const SLOW = 15_000;

const asView = (text: string) => readView(new URLSearchParams(text.replace(/^.*\?/, '')));
async function* linesIn(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

const READERS: Readonly<Record<string, Reader>> = {
  camt: { honest: CAMT, read: (text) => readStatement(text, 'camt.053', STATEMENT_TERMS) },
  mt940: { honest: MT940, read: (text) => readStatement(text, 'mt940', STATEMENT_TERMS) },
  csv: { honest: CSV, most: SLOW, read: (text) => readStatement(text, 'auto', STATEMENT_TERMS) },
  lines: {
    honest: CSV,
    most: SLOW,
    read: (text) => readStatement(text, 'lines', { ...STATEMENT_TERMS, mapping: { reference: 'reference' } }),
  },
  prices: { honest: PRICES, most: SLOW, read: (text) => priceListIn(text, 'prices.yaml') },
  settings: {
    honest: SETTINGS,
    most: SLOW,
    read: (text) =>
      loadSettings({ flags: [], configFile: 'a.yaml', env: {}, readFile: () => text, known: { rules: ['SLIPPAGE'] } }),
  },
  posted: {
    honest: 'month,currency,amount\n2026-10,EUR,12.50\n2026-10,EUR,-1\n',
    most: SLOW,
    read: (text) => readPostings(text, 'posted.csv', Date.UTC(2026, 10, 1)),
  },
  manifest: { honest: MANIFEST, read: (text) => readManifest(Buffer.from(text)) },
  archive: { honest: ARCHIVE, read: (text) => checkArchive(linesIn(text)) },
  event: {
    honest: '{"type":"purchase.updated","payload":{"id":"a","purchaseViewToken":"t","status":"RELEASED"}}',
    read: (text) => readEventBody(Buffer.from(text), 'Service'),
  },
  view: {
    honest: 'worklist?state=open&rule=SLIPPAGE&currency=EUR&min=10.5&month=2026-10&sort=age&q=a b',
    read: asView,
  },
  widget: { honest: 'https://app.example/?hostAppName=a&userAddress=0x12&fiatValue=10.5#x', read: readWidgetUrl },
  database: {
    honest: 'postgres://tieout:pw@db.example:5432/tieout?sslmode=verify-full&sslrootcert=/a',
    read: parseDatabaseUrl,
  },
};
export type TextReader = keyof typeof READERS;
export const TEXT_READERS = Object.keys(READERS) as readonly TextReader[];

const NASTY = [
  '\u0000',
  '\ud800',
  '\u202e',
  '\ufeff',
  '9'.repeat(400),
  '1e999',
  '-0',
  '"',
  "'",
  '<',
  '>',
  '&',
  '&#0;',
  ']]>',
  '<!--',
  '<a ',
  '{',
  '[',
  ': ',
  '- ',
  '&a',
  '*a',
  '!!js/function ',
  '<<',
  '? ',
  '\r',
  '\u2028',
  ';;;',
  '__proto__',
  'constructor',
  '0000-00-00',
  '+275760-09-13',
  '9999-12-31T23:59:60Z',
  '%',
  '%00',
  '%zz',
  '\t',
  '=1+1',
  '|',
  '\\',
];

const change = fc.record({
  at: fc.nat(4_000),
  length: fc.oneof(fc.constant(0), fc.nat(40)),
  put: fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 12 })),
  times: fc.oneof(
    { weight: 20, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 20_000 }) },
  ),
});

/** The honest text with pieces replaced; sometimes one of them many times over, or a part of the text itself. */
function changed(
  honest: string,
  changes: readonly { at: number; length: number; put: string; times: number }[],
): string {
  let text = honest;
  for (const { at, length, put, times } of changes) {
    const from = at % (text.length + 1);
    const piece = length > 30 ? text.slice(from, from + length * 4) : put;
    text =
      text.slice(0, from) +
      piece.repeat(Math.min(times, Math.ceil(400_000 / (piece.length + 1)))) +
      text.slice(from + length);
  }
  return text;
}

export async function fuzzText(
  name: TextReader,
  chance: { seed: number; numRuns: number },
  soon: <T>(what: string, work: () => T | Promise<T>) => Promise<T>,
): Promise<void> {
  const { honest, most = 100_000, read } = READERS[name] as Reader;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const text = changed(honest, changes).slice(0, most);
      await soon(`reading ${name}`, async () => {
        try {
          await read(text);
        } catch (error) {
          if (!(error instanceof TieoutError)) throw error;
        }
      });
      if ('polluted' in {} || Object.keys(Object.prototype).length > 0) throw new Error('a prototype was changed');
    }),
    { ...chance, interruptAfterTimeLimit: LONGEST_SEARCH_MS },
  );
}
