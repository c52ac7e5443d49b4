/** The catalogue of changes as data: one line a change, each with its sentence of the specification. */
import type { Kind } from '../../domain/record.ts';
import { OF_LISTINGS, SILENT_LISTINGS } from './listing-changes.ts';
import { OF_PURCHASES, SILENT_PURCHASES, SINCE_FIRST_SEEN } from './purchase-changes.ts';
import { OF_QUOTES, SILENT_QUOTES } from './quote-changes.ts';
import { OF_SALES, SALES_SINCE_FIRST_SEEN, SILENT_SALES } from './sale-changes.ts';

/** What a change is made in: the record's body (as if it had always been so, or since it was first seen), its quote, the listings of its time. */
type ChangedIn = 'body' | 'seen body' | 'quote' | 'listings';

/** One way to spoil a record, a quote or a list, and the rule that should speak of it. */
export interface Change {
  /** `purchase.appliedFee.more`. */
  id: string;
  in: ChangedIn;
  /** Null: of both. */
  kind: Kind | null;
  /** What a record must have for it; see `fits`. */
  when: readonly string[];
  /** See edits.ts. */
  edits: string;
  /** Break codes of which one must speak; `import` is the door. Empty: none may. */
  speaks: readonly string[];
  /** Below it nothing may speak. */
  material: boolean;
  sentence: string;
}

type Table = Pick<Change, 'in' | 'kind'> & { prefix: string; section: string; lines: string };

const TABLES: readonly Table[] = [
  { prefix: 'purchase', in: 'body', kind: 'purchase', section: '§2.9', lines: OF_PURCHASES + SILENT_PURCHASES },
  { prefix: 'seen-purchase', in: 'seen body', kind: 'purchase', section: '§2.9', lines: SINCE_FIRST_SEEN },
  { prefix: 'sale', in: 'body', kind: 'sale', section: '§2.8', lines: OF_SALES + SILENT_SALES },
  { prefix: 'seen-sale', in: 'seen body', kind: 'sale', section: '§2.8', lines: SALES_SINCE_FIRST_SEEN },
  { prefix: 'quote', in: 'quote', kind: null, section: '', lines: OF_QUOTES + SILENT_QUOTES },
  { prefix: 'listing', in: 'listings', kind: null, section: '', lines: OF_LISTINGS + SILENT_LISTINGS },
];

export const CATALOGUE: readonly Change[] = TABLES.flatMap(({ lines, ...table }) =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => changeOf(line, table)),
);

function changeOf(line: string, { prefix, section, ...table }: Omit<Table, 'lines'>): Change {
  const [id = '', when = '', edits = '', speaks = '', sentence = ''] = line.split('|').map((cell) => cell.trim());
  const codes = words(speaks);
  return {
    id: `${prefix}.${codes.length === 0 ? 'fair.' : ''}${id}`,
    ...table,
    when: words(when),
    edits,
    speaks: codes,
    material: codes.length > 0,
    sentence: section === '' ? sentence : `${section} ${sentence}`,
  };
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
