/**
 * DATEV's Buchungsstapel (developer.datev.de, "DATEV-Format: Header" and "Buchungsstapel", version 13): semicolons, CRLF,
 * Windows-1252, decimal comma, positive amounts with S or H for the account in field 7. The year of a Belegdatum is that of the
 * header, so a file holds one month; foreign amounts need a rate that Tieout does not have, so it holds one currency.
 */
import { businessDateOf } from '../../domain/calendar.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { JournalEntry } from './entries.ts';
import { amountRefused, dateAs, type Layout, type LayoutInput } from './layout.ts';

export const datev: Layout = {
  extension: 'csv',
  refuses: (entry) =>
    amountRefused(
      entry,
      (amount, currency) => AMOUNT.test(amountOf(amount, currency)),
      'DATEV takes at most ten digits before the comma and two after it',
    ),
  split: (entries) => [...Map.groupBy(entries, ({ currency, date }) => `${currency} ${date.slice(0, 7)}`).values()],
  write: (input) => {
    const rows = input.entries.flatMap((entry) => rowsOf(entry, input));
    const lines = [header(input), COLUMNS.join(';'), ...rows.map((row) => row.join(';'))];
    return windows1252(lines.map((line) => `${line}\r\n`).join(''));
  },
};

/** Fields 1 to 31 of "DATEV-Format: Header". */
function header({ entries, settings, statedAt, timezone }: LayoutInput): string {
  const { consultant, client, accountLength, fiscalYearStart } = settings.datev;
  const dates = entries.map(({ date }) => date).sort();
  const month = (dates[0] ?? '').slice(0, 7);
  const created = `${compact(businessDateOf(statedAt, timezone))}${new Date(statedAt).toISOString().slice(11, 23).replace(/\D/g, '')}`;
  const begins = `${month.slice(0, 4)}-${fiscalYearStart}`;
  // A fiscal year that begins later in the calendar year than the month began the year before.
  const yearStart = begins <= `${month}-31` ? begins : `${Number(month.slice(0, 4)) - 1}-${fiscalYearStart}`;
  const fields = [
    ...['"EXTF"', '700', '21', '"Buchungsstapel"', '13', created, '', '"TO"', '"Tieout"', '""'],
    ...[String(consultant), String(client), compact(yearStart), String(accountLength)],
    ...[compact(`${month}-01`), compact(dates.at(-1) ?? ''), quoted(`Tieout ${month}`), '""'],
    // Financial accounting, for every purpose, not yet fixed: the accountant may still change it.
    ...['1', '0', '0', quoted(entries[0]?.currency ?? ''), '', '""', '', '', '""', '', '', '""', '"Tieout"'],
  ];
  return fields.join(';');
}

const compact = (date: string) => date.replaceAll('-', '');

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** One row for each line, against the entry's contra account. */
function rowsOf({ key, date, currency, contra, postings, evidence }: JournalEntry, { chart }: LayoutInput): string[][] {
  return postings
    .filter(({ role }) => role !== contra)
    .map(({ role, debit, credit, memo }) => {
      const row = COLUMNS.map(() => '');
      const set = (field: number, value: string) => {
        row[field - 1] = value;
      };
      set(1, amountOf(debit ?? credit ?? Decimal.ZERO, currency).replace('.', ','));
      set(2, debit === null ? '"H"' : '"S"');
      set(3, quoted(currency));
      set(7, chart[role]);
      set(8, chart[contra]);
      set(10, dateAs('DDMM', date));
      set(11, quoted(key));
      set(14, quoted(memo.slice(0, 60)));
      if (evidence !== null) {
        set(21, quoted('Tieout SHA-256'));
        set(22, quoted(evidence));
      }
      // 0: not fixed. An empty field would take the default of the program, which is fixed.
      set(114, '0');
      return row;
    });
}

/** One to ten digits, a point, two digits. */
const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** With two digits wherever they say it exactly. */
function amountOf(amount: Decimal, currency: string): string {
  return amount.rounded(2).equals(amount) ? amount.toPlaces(2) : inMinorUnits(amount, currency);
}

/** A character that Windows-1252 does not have becomes a question mark, as in DATEV's own programs. */
function windows1252(text: string): Uint8Array {
  return Uint8Array.from([...text], (character) => {
    const code = character.codePointAt(0) ?? 63;
    if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code;
    const at = UPPER.indexOf(character);
    return at < 0 ? 63 : 0x80 + at;
  });
}

/** 0x80 to 0x9f; the replacement character stands for the five that are not assigned. */
const UPPER = '€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ';

const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => [`${name} - Art ${i + 1}`, `${name} - Inhalt ${i + 1}`]).flat();

/** Fields 1 to 125 of "Buchungsstapel". */
const COLUMNS: readonly string[] = [
  'Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto',
  'Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext',
  'Postensperre;Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink',
  ...numbered(8, 'Beleginfo'),
  'KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID;EU-Steuersatz',
  'Abw. Versteuerungsart;Sachverhalt L+L;Funktionsergänzung L+L;BU 49 Hauptfunktionstyp',
  'BU 49 Hauptfunktionsnummer;BU 49 Funktionsergänzung',
  ...numbered(20, 'Zusatzinformation'),
  'Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer',
  'Buchungstyp;USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen);Erlöskonto (Anzahlungen);Herkunft-Kz;Leerfeld;KOST-Datum',
  'SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername;Beteiligtennummer;Identifikationsnummer',
  'Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt;Kennzeichen SoBil-Buchung;Festschreibung',
  'Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr;Steuersatz;Land;Abrechnungsreferenz',
  'BVV-Position (Betriebsvermögensvergleich);EU-Mitgliedstaat u. UStID (Ursprung);EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
].flatMap((names) => names.split(';'));
