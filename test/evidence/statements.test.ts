/** Statements of payments, as partners and banks write them, and what they pay. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchPayouts } from '../../src/books/match-payouts.ts';
import { netPayouts } from '../../src/books/standing-payouts.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { AddedPayout } from '../../src/domain/payout.ts';
import { settledBy } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

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
      : 'rejected' in line
        ? line.rejected
        : 'leftOut' in line
          ? line.leftOut
          : line.note,
  );

describe('a CSV', () => {
  it('is read by its own header, or by a mapping', () => {
    const text = 'Paid;Net;Currency;Text\n2026-11-05;1234,50;EUR;REV 2026-10\n2026-11-06;nothing;EUR;\n';
    expect(
      told(
        readStatement(text, 'auto', {
          ...STATEMENT_TERMS,
          mapping: { date: 'Paid', amount: 'Net', reference: 'Text' },
        }),
      ),
    ).toEqual([
      ['2026-11-05', 'EUR', '1234.5', '2026-10', 'REV 2026-10'],
      'amount nothing: not a plain number; write it as 1234.56',
    ]);
  });

  it.each(['50 EUR @ 0 + 100 USD', '50 EUR @ 1,234 + 38.30 USD', '0 EUR @ 1.1 + 100 USD', '50 EUR @ 1.1.1 + 45 USD'])(
    'refuses a part of a payment that cannot be read, by the whole of it: %s',
    (settles) => {
      const text = `date,amount,currency,settles\n2026-11-05,100,USDC,"${settles}"\n`;
      expect(told(readStatement(text, 'csv', STATEMENT_TERMS))).toEqual([
        `settles ${settles}: write it as 600 EUR @ 1.10 + 250 USD`,
      ]);
    },
  );

  it.each([
    ['amount', `2026-11-05,${'9'.repeat(200_000)},EUR`],
    ['date', `${'9'.repeat(200_000)},7,EUR`],
  ])('names the %s of 200,000 digits by its beginning and the remedy', (field, row) => {
    const [reason] = told(readStatement(`date,amount,currency\n${row}\n`, 'csv', STATEMENT_TERMS));
    expect(reason).toMatch(new RegExp(`^${field} 999.*: .*write it as [0-9.-]+$`));
    expect(String(reason).length).toBeLessThan(600);
  });

  it('refuses a payment of very many parts, each of which would be a payment: 24 MB of them took all memory', () => {
    const settles = `100 EUR${'+0.0001 EUR'.repeat(200)}`;
    expect(
      told(readStatement(`date,amount,currency,settles\n2026-11-05,100,EUR,${settles}\n`, 'csv', STATEMENT_TERMS)),
    ).toEqual(['settles: longer than 2000 characters']);
  });

  it('gives equal lines different ids, the same ones each time', () => {
    const text = 'date,amount,currency\n2026-11-05,10,EUR\n2026-11-05,10,EUR\n';
    const ids = () =>
      readStatement(text, 'csv', STATEMENT_TERMS).flatMap((line) => ('payout' in line ? [line.payout.payoutId] : []));
    expect(new Set(ids()).size).toBe(2);
    expect(ids()).toEqual(ids());
  });

  it('with an id is another line where its month is another, so that the month can be corrected', () => {
    const idOf = (id: string, period: string) =>
      readStatement(
        `date,amount,currency,id,period\n2026-11-05,10,EUR,${id},${period}\n`,
        'csv',
        STATEMENT_TERMS,
      ).flatMap((line) => ('payout' in line ? [line.payout.payoutId] : []));
    expect(idOf('P-7', '2026-09')).not.toEqual(idOf('P-7', '2026-10'));
    expect(idOf('', '2026-09')).toEqual(idOf('', '2026-10'));
  });

  it('without a column that it needs is refused by name', () => {
    expect(() => readStatement('when,amount,currency\n2026-11-05,1,EUR\n', 'csv', STATEMENT_TERMS)).toThrow(
      'no column for date',
    );
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
    expect(told(readStatement(CAMT, 'auto', STATEMENT_TERMS))).toEqual([
      ['2026-11-05', 'EUR', '9007199254740993.01', '2026-10', 'E2E-1 REV 2026-10'],
      'entry 2 is a debit',
      'entry 3 is not booked (PDNG)',
    ]);
  });

  it('with a document type is refused: it could define entities without end', () => {
    expect(() => readStatement(`<!DOCTYPE x [<!ENTITY a "b">]>${CAMT.slice(21)}`, 'camt.053', STATEMENT_TERMS)).toThrow(
      'document type',
    );
  });
});

it('MT940 is read with its currency from the balance and its words from field 86', () => {
  const text =
    ':20:X\n:25:DE1\n:60F:C261101EUR0,00\n:61:2611051105C1234,50NTRFNONREF//B7\n:86:PAYOUT 2026-10\nSECOND LINE\n:61:261106D1,00NTRFNONREF\n:62F:C261106EUR1233,50\n-}\n';
  expect(told(readStatement(text, 'auto', STATEMENT_TERMS))).toEqual([
    ['2026-11-05', 'EUR', '1234.5', '2026-10', 'PAYOUT 2026-10SECOND LINE'.replace('10S', '10 S')],
    'a debit',
  ]);
});

it('camt.053: an element with an attribute keeps its text', () => {
  const text = CAMT.replace('<Sts><Cd>BOOK</Cd></Sts>', '<Sts x="1">BOOK</Sts>')
    .replace('<Dt>2026-11-05</Dt>', '<Dt a="b">2026-11-05</Dt>')
    .replace('<Ustrd>', '<Ustrd lang="en">');
  expect(told(readStatement(text, 'auto', STATEMENT_TERMS))[0]).toEqual(
    told(readStatement(CAMT, 'auto', STATEMENT_TERMS))[0],
  );
});

it('lines with one amount, written as 7 and as 7.00, are two payments', () => {
  const text = 'date,amount,currency,reference\n2026-11-05,7,EUR,a\n2026-11-05,7.00,EUR,a\n';
  const ids = readStatement(text, 'auto', STATEMENT_TERMS).map((line) =>
    'payout' in line ? line.payout.payoutId : line,
  );
  expect(new Set(ids).size).toBe(2);
});

describe('what a bank books besides payments', () => {
  const CREDIT = '<Amt Ccy="USD">108.50</Amt><CdtDbtInd>CRDT</CdtDbtInd>';
  const entry = (what: string, details = '') =>
    `<Ntry>${what}<Sts>BOOK</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt><AcctSvcrRef>A1</AcctSvcrRef>${details}</Ntry>`;
  const camt = (...entries: string[]) =>
    readStatement(
      `<Document><BkToCstmrStmt><Stmt>${entries.join('')}</Stmt></BkToCstmrStmt></Document>`,
      'camt.053',
      STATEMENT_TERMS,
    );
  const details = (...all: string[]) =>
    `<NtryDtls>${all.map((each) => `<TxDtls>${each}</TxDtls>`).join('')}</NtryDtls>`;
  const amount = (value: string) => `<Amt Ccy="USD">${value}</Amt>`;
  const words = (text: string) => `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`;
  const exchange = (unit: string, rate: string) =>
    '<AmtDtls><InstdAmt><Amt Ccy="EUR">100</Amt><CcyXchg><SrcCcy>EUR</SrcCcy><TrgtCcy>USD</TrgtCcy>' +
    `${unit}<XchgRate>${rate}</XchgRate></CcyXchg></InstdAmt></AmtDtls>`;
  const settled = (lines: ReturnType<typeof readStatement>) =>
    lines.map((line) => {
      if (!('payout' in line)) return line;
      const { currency, amount } = settledBy(line.payout);
      return [line.payout.settles?.currency, line.payout.settles?.rate.toString(), currency, amount.toString()];
    });

  it('camt: the rate of the bank is for one of its unit, which is the revenue or the payment; every digit counts', () => {
    expect(settled(camt(entry(CREDIT, details(exchange('<UnitCcy>EUR</UnitCcy>', '1.0850000000000000001')))))).toEqual([
      ['EUR', '1.0850000000000000001', 'EUR', '100'],
    ]);
    expect(settled(camt(entry(CREDIT, details(exchange('', '1.085')))))).toEqual([['EUR', '1.085', 'EUR', '100']]);
    expect(settled(camt(entry(CREDIT, details(exchange('<UnitCcy>USD</UnitCcy>', '0.8')))))).toEqual([
      ['EUR', '1.25', 'EUR', '86.8'],
    ]);
    expect(settled(camt(entry(`${CREDIT}${exchange('<UnitCcy>EUR</UnitCcy>', '1.085')}`)))).toEqual([
      ['EUR', '1.085', 'EUR', '100'],
    ]);
    expect(told(camt(entry(CREDIT, details(exchange('<UnitCcy>EUR</UnitCcy>', 'one')))))).toEqual([
      'rate one: write USD for one EUR, as 1.0850',
    ]);
  });

  it('camt: a batch is its transactions where they add up to the booked amount, and otherwise the whole entry', () => {
    const [first, second] = [amount('60.25') + words('REV 2026-09'), amount('48.25') + words('REV 2026-10')];
    expect(told(camt(entry(CREDIT, details(first, second))))).toEqual([
      ['2026-11-05', 'USD', '60.25', '2026-09', 'REV 2026-09'],
      ['2026-11-05', 'USD', '48.25', '2026-10', 'REV 2026-10'],
    ]);
    // A fee was taken on the way; which of both months it was taken from is not said.
    expect(told(camt(entry(CREDIT, details(first, amount('50.25') + words('REV 2026-10')))))).toEqual([
      ['2026-11-05', 'USD', '108.5', null, 'REV 2026-09 REV 2026-10'],
    ]);
    expect(told(camt(entry(CREDIT, details(words('REV 2026-10'), words('second part of 2026-10')))))).toEqual([
      ['2026-11-05', 'USD', '108.5', '2026-10', 'REV 2026-10 second part of 2026-10'],
    ]);
    expect(told(camt(entry(CREDIT, `${details(first)}${details(second)}`))).length).toBe(2);
  });

  it('camt: a returned credit takes the payment back, a returned debit is left out, and a line without a mark is rejected', () => {
    const reversed = (mark: string) => entry(`${amount('5')}<CdtDbtInd>${mark}</CdtDbtInd><RvslInd>true</RvslInd>`);
    expect(told(camt(reversed('DBIT'), reversed('CRDT'), entry(amount('5'))))).toEqual([
      ['2026-11-05', 'USD', '-5', null, null],
      'entry 2 is a reversal of a debit',
      'entry 3 is neither credit nor debit',
    ]);
  });

  it.each(['NTRF', 'S103', 'FMSC'])('MT940: a credit of the type %s is a payment', (type) => {
    const text = `:20:X\n:60F:C261101EUR0,00\n:61:2611051105C5,${type}NONREF//B7\n:86:REV 2026-10\n:62F:C261105EUR5,\n-}\n`;
    expect(told(readStatement(text, 'auto', STATEMENT_TERMS))).toEqual([
      ['2026-11-05', 'EUR', '5', '2026-10', 'REV 2026-10'],
    ]);
  });

  it('MT940: RC takes a payment back, RD and D are left out, and each statement has its own currency', () => {
    const movement = (mark: string) => `:61:261105${mark}5,NTRFNONREF//B7\n:86:REV 2026-10\n`;
    const text =
      `:20:X\n:60F:C261101EUR0,00\n${movement('CR')}${movement('RC')}${movement('RD')}${movement('D')}:62F:C261105EUR0,\n` +
      `:20:Y\n${movement('C')}:62F:C261105EUR5,\n:20:Z\n:60M:C261101USD0,00\n${movement('C')}:62M:C261105USD5,\n`;
    expect(told(readStatement(text, 'auto', STATEMENT_TERMS))).toEqual([
      ['2026-11-05', 'EUR', '5', '2026-10', 'REV 2026-10'],
      ['2026-11-05', 'EUR', '-5', '2026-10', 'REV 2026-10'],
      'a reversal of a debit',
      'a debit',
      'currency (none): write its ISO 4217 code',
      ['2026-11-05', 'USD', '5', '2026-10', 'REV 2026-10'],
    ]);
  });

  it('MT940: the numbered parts of a German field 86 are one text', () => {
    const text =
      ':20:X\n:60F:C261101EUR0,00\n:61:261105C5,NTRFNONREF\n:86:166?00GUTSCHRIFT?20SVWZ+REV 2026-1?210 shar\ne?30BANKDEFF\n:62F:C261105EUR5,\n';
    expect(told(readStatement(text, 'mt940', STATEMENT_TERMS))).toEqual([
      ['2026-11-05', 'EUR', '5', '2026-10', 'GUTSCHRIFT SVWZ+REV 2026-10 share BANKDEFF'],
    ]);
  });
});

describe('payments against the accrual', () => {
  const accrued = new Map([
    ['2026-09 EUR', Decimal.parse('100.00')],
    ['2026-10 EUR', Decimal.parse('200.00')],
    ['2026-10 USD', Decimal.parse('3.00')],
  ]);
  const options = {
    tolerances: someTolerances(),
    today: '2026-12-15',
    ...someRevenue({ minimum: new Map([['default', Decimal.parse('5')]]), accrued }),
  };
  const paid = (rows: string) =>
    readStatement(`date,amount,currency,reference\n${rows}`, 'csv', STATEMENT_TERMS).flatMap((line) =>
      'payout' in line ? [line.payout] : [],
    );
  const found = (rows: string) => {
    const { months: legs, payouts } = matchPayouts(paid(rows), options);
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

  it('without a reference whole open months must be exact, the oldest first, else those up to the month before', () => {
    const states = (rows: string) => found(rows)[1];
    expect(states('2026-11-05,200,EUR,\n2026-12-05,100,EUR,\n')).toEqual(['matched', 'matched']);
    expect(states('2026-11-05,300,EUR,\n')).toEqual(['matched']);
    expect(states('2026-11-05,120,EUR,\n2026-11-07,180,EUR,\n')).toEqual(['matched', 'matched']);
    expect(states('2026-11-05,150,EUR,\n')).toEqual(['unexplained']);
    expect(states('2026-10-05,200,EUR,\n')).toEqual(['unexplained']);
  });

  it('a month that is paid what the next one lacks is a difference of time', () => {
    expect(found('2026-10-05,110,EUR,REV 2026-09\n2026-11-05,190,EUR,REV 2026-10\n')[0]).toEqual([
      ['2026-09', 'EUR', null],
      ['2026-10', 'EUR', null],
      ['2026-10', 'USD', null],
    ]);
  });

  it('so it is where the month between them agrees, as a span pays late for the month before it', () => {
    const more = {
      ...options,
      accrued: new Map([...accrued, ['2026-11 EUR', Decimal.parse('50')]]),
      today: '2027-02-01',
    };
    const rows = '2026-10-05,60,EUR,REV 2026-09\n2026-12-20,290,EUR,2026-10 – 2026-11\n';
    const { months } = matchPayouts(paid(rows), more);
    const of = (code: string) => months.filter(({ currency }) => currency === code);
    expect(of('EUR').map(({ month, paid: sum, finding }) => `${month} ${sum} ${finding}`)).toEqual([
      '2026-09 60 null',
      '2026-10 200 null',
      '2026-11 90 null',
    ]);
  });

  it('exactly what euros have open pays no dollars, though rates could explain the difference', () => {
    const rated = { ...options, eurRates: new Map([['USD', Decimal.parse('0.9')]]) };
    const rows = '2026-10-05,60,EUR,REV 2026-09\n2026-11-20,240,EUR,REV 2026-10\n';
    expect(matchPayouts(paid(rows), rated).months.map(({ currency, paid: sum }) => `${currency} ${sum}`)).toEqual([
      'EUR 60',
      'EUR 240',
      'USD null',
    ]);
  });

  it.each([
    ['2026-09 – 2026-11', '2026-09/2026-11'],
    ['REV 2026-09 and 2026-10', '2026-09/2026-10'],
    ['2026-09, 2026-11', null],
    ['REV 2026-10 paid 2026-11-05', null],
  ])('the months of %s', (reference, period) => {
    expect(paid(`2026-11-05,300,EUR,"${reference}"\n`)).toMatchObject([{ period }]);
  });

  it('a coin in a statement without a chain pays what it says that it pays', () => {
    const text =
      'date,amount,currency,period,settled_currency,rate\n2026-11-05,216,USDC,2026-10,EUR,1.08\n2026-11-05,5,USDC,,,\n2026-11-05,5,WBTC,,,\n';
    expect(readStatement(text, 'csv', STATEMENT_TERMS)).toMatchObject([
      { payout: { currency: 'USDC', settles: { currency: 'EUR' } } },
      // Without a word about it, a pegged coin is its currency.
      { payout: { currency: 'USDC', settles: null } },
      { rejected: 'currency WBTC: write its ISO 4217 code' },
    ]);
  });

  it('a payment of two months settles the older first, and one that was returned pays nothing', () => {
    const { payouts: both } = matchPayouts(paid('2026-11-05,300,EUR,REV 2026-09 and 2026-10\n'), options);
    expect(both.map(({ month, state }) => [month, state])).toEqual([['2026-09/2026-10', 'matched']]);
    expect(both[0]?.allocations.map(({ month, amount }) => `${month} ${amount}`)).toEqual([
      '2026-09 100',
      '2026-10 200',
    ]);
    const [sent] = paid('2026-11-05,200,EUR,REV 2026-10\n');
    if (sent === undefined) throw new Error('it is a payment');
    const back = { ...sent, payoutId: 'back', paidAt: sent.paidAt + 1, amount: sent.amount.negated() };
    const { months: legs, payouts } = matchPayouts([sent, back], options);
    expect(legs[1]).toMatchObject({ month: '2026-10', currency: 'EUR', finding: 'PAYOUT_DIFFERS' });
    expect(legs[1]?.paid?.toString()).toBe('0');
    expect(payouts.map(({ difference }) => difference?.toString())).toEqual([undefined, '-200']);
  });

  it('whatever is paid, months and unexplained payments add up to the payments, in any order of imports', () => {
    const line = fc.record({
      day: fc.integer({ min: 0, max: 80 }),
      cents: fc.integer({ min: 1, max: 40_000 }),
      period: fc.constantFrom(null, '2026-09', '2026-10', '2026-09/2026-10', '2026-08/2026-11'),
      currency: fc.constantFrom('EUR', 'USD'),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.nat(), (lines, seed) => {
        const [base] = paid('2026-11-05,1,EUR,x\n');
        if (base === undefined) throw new Error('it is a payment');
        const all: AddedPayout[] = lines.map(({ day, cents, period, currency }, i) => ({
          ...base,
          ...{ payoutId: `p${i}`, period, currency, amount: Decimal.of(BigInt(cents), 2), addedAt: i },
          ...{ paidAt: base.paidAt + day * 86_400_000, statementId: `s${i}` },
        }));
        const other = [...all.slice(seed % (all.length + 1)), ...all.slice(0, seed % (all.length + 1))];
        const [a, b] = [all, other].map((order) => matchPayouts(netPayouts(order).payouts, options));
        expect(b).toEqual(a);
        for (const currency of ['EUR', 'USD']) {
          const of = (amounts: readonly (Decimal | null | undefined)[]) =>
            amounts.reduce<Decimal>((sum, amount) => sum.plus(amount ?? Decimal.ZERO), Decimal.ZERO).toString();
          const months = (a?.months ?? []).filter((leg) => leg.currency === currency).map((leg) => leg.paid);
          const open = (a?.payouts ?? []).filter((each) => each.currency === currency && each.allocations.length === 0);
          const paidIn = all.filter((each) => each.currency === currency).map(({ amount }) => amount);
          expect(of([...months, ...open.map(({ amount }) => amount)])).toBe(of(paidIn));
        }
      }),
    );
  });

  it('another amount than accrued differs once it is due', () => {
    expect(found('2026-11-05,190,EUR,REV 2026-10\n')[0]).toContainEqual(['2026-10', 'EUR', 'PAYOUT_DIFFERS']);
  });
});
