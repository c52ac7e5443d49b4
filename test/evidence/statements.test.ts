/** Statements of payments, as partners and banks write them, and what they pay. */
import { describe, expect, it } from 'vitest';
import { matchPayouts } from '../../src/books/match-payouts.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { someTolerances } from '../support/builders.ts';

const told = (lines: ReturnType<typeof readStatement>) =>
  lines.map((line) =>
    'payout' in line
      ? [
          new Date(line.payout.paidAt).toISOString().slice(0, 10),
          line.payout.currency,
          line.payout.amount.toString(),
          line.payout.period,
          line.payout.reference,
        ]
      : line.rejected,
  );

describe('a CSV', () => {
  it('is read by its own header, or by a mapping', () => {
    const text = 'Paid;Net;Currency;Text\n2026-11-05;1234,50;EUR;REV 2026-10\n2026-11-06;nothing;EUR;\n';
    expect(told(readStatement(text, 'auto', { date: 'Paid', amount: 'Net', reference: 'Text' }))).toEqual([
      ['2026-11-05', 'EUR', '1234.5', '2026-10', 'REV 2026-10'],
      'amount nothing: not a plain number; write it as 1234.56',
    ]);
  });

  it('tells equal lines apart, and gives the same ids each time', () => {
    const text = 'date,amount,currency\n2026-11-05,10,EUR\n2026-11-05,10,EUR\n';
    const ids = () => readStatement(text, 'csv').flatMap((line) => ('payout' in line ? [line.payout.payoutId] : []));
    expect(new Set(ids()).size).toBe(2);
    expect(ids()).toEqual(ids());
  });

  it('without a column that it needs is refused by name', () => {
    expect(() => readStatement('when,amount,currency\n2026-11-05,1,EUR\n', 'csv')).toThrow('no column for date');
  });
});

const CAMT = `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Ntry><Amt Ccy="EUR">9007199254740993.01</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt>
<AcctSvcrRef>A1</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>E2E-1</EndToEndId></Refs><RmtInf><Ustrd>REV 2026-10</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt></Ntry>
<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt></Ntry>
</Stmt></BkToCstmrStmt></Document>`;

describe('camt.053', () => {
  it('keeps every digit of an amount, and takes booked credits only', () => {
    expect(told(readStatement(CAMT, 'auto'))).toEqual([
      ['2026-11-05', 'EUR', '9007199254740993.01', '2026-10', 'E2E-1 REV 2026-10'],
      'entry 2 is no credit',
      'entry 3 is not booked (PDNG)',
    ]);
  });

  it('with a document type is refused: it could define entities without end', () => {
    expect(() => readStatement(`<!DOCTYPE x [<!ENTITY a "b">]>${CAMT.slice(21)}`, 'camt.053')).toThrow('document type');
  });
});

it('MT940 is read with its currency from the balance and its words from field 86', () => {
  const text =
    ':20:X\n:25:DE1\n:60F:C261101EUR0,00\n:61:2611051105C1234,50NTRFNONREF//B7\n:86:PAYOUT 2026-10\nSECOND LINE\n:61:261106D1,00NTRFNONREF\n-}\n';
  expect(told(readStatement(text, 'auto'))).toEqual([
    ['2026-11-05', 'EUR', '1234.5', '2026-10', 'PAYOUT 2026-10SECOND LINE'.replace('10S', '10 S')],
    'no credit',
  ]);
});

describe('payments against what was accrued', () => {
  const accrued = new Map([
    ['2026-09 EUR', Decimal.parse('100.00')],
    ['2026-10 EUR', Decimal.parse('200.00')],
    ['2026-10 USD', Decimal.parse('3.00')],
  ]);
  const options = {
    tolerances: someTolerances(),
    today: '2026-12-15',
    dueDays: 30,
    minimum: new Map([['default', Decimal.parse('5')]]),
    accrued,
    posted: new Map(),
  };
  const paid = (rows: string) =>
    readStatement(`date,amount,currency,reference\n${rows}`, 'csv').flatMap((line) =>
      'payout' in line ? [line.payout] : [],
    );
  const found = (rows: string) => {
    const { legs, payouts } = matchPayouts(paid(rows), options);
    return [legs.map(({ month, currency, finding }) => [month, currency, finding]), payouts.map(({ state }) => state)];
  };

  it('many pay one month by reference; a month without a payment is missing; little is carried forward', () => {
    expect(found('2026-11-05,150,EUR,REV 2026-10\n2026-11-20,50,EUR,rest of 2026-10\n')).toEqual([
      [
        ['2026-09', 'EUR', 'PAYOUT_MISSING'],
        ['2026-10', 'EUR', null],
        ['2026-10', 'USD', null],
      ],
      ['matched', 'matched'],
    ]);
  });

  it('without a reference the sum of the month before must be exact: an amount alone proves nothing', () => {
    expect(found('2026-11-05,200,EUR,\n2026-12-05,100,EUR,\n')[1]).toEqual(['matched', 'unexplained']);
  });

  it('another amount than accrued differs once it is due', () => {
    expect(found('2026-11-05,190,EUR,REV 2026-10\n')[0]).toContainEqual(['2026-10', 'EUR', 'PAYOUT_DIFFERS']);
  });
});
