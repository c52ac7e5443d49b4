/** Files of ids that are read wrongly: no header, other line ends, tokens in columns of other names. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'vitest';
import { openWorkspace } from '../e2e/support/workspace.ts';
import { faultRow } from './harness/row.ts';

const TOKENS = Array.from({ length: 6 }, (_, n) => `S3cr3tT0ken${n}xYz`);
const ROWS = TOKENS.map((token, n) => `purchase,id${n},${token}`);
const HEADER = 'kind,id,view_token';

const FILES: Readonly<Record<string, string>> = {
  'cr.csv': [HEADER, ...ROWS].join('\r'),
  'crlf-cr.csv': `${HEADER}\r\n${ROWS.join('\r')}`,
  'no-header.csv': ROWS.join('\n'),
  'one-line.csv': ROWS.join(','),
  'semicolons.csv': ROWS.map((row) => row.replaceAll(',', ';')).join('\r'),
  // A token of 15 letters could be an id: this one could not.
  'swapped.csv': [HEADER, ...TOKENS.map((token, n) => `purchase,${token}/+,id${n}`)].join('\n'),
  'in-dates.csv': [`${HEADER},created_at`, ...TOKENS.map((token, n) => `purchase,id${n},x y,${token}`)].join('\n'),
  'quoted.csv': `${HEADER}\n"purchase,id0,${TOKENS[0]}\n`,
  'utf16.csv': `\ufeff${ROWS.join('\n')}`,
  'names.ndjson': TOKENS.map((token) => JSON.stringify({ [token]: 1, kind: 'sale' })).join('\n'),
  'broken.ndjson': TOKENS.map((token, n) => `{"kind":"purchase","id":"id${n}","view_token":"${token}"`).join('\n'),
};

/** Read in full: their line ends and delimiters are those of some program. */
const READABLE = ['cr.csv', 'crlf-cr.csv', 'semicolons.csv'];

faultRow(
  {
    number: 41,
    fault: 'unreadable file of ids: bare CR, no header, one line, columns exchanged, broken quotes, broken JSON',
    how: 'each is imported by the command, and is a source of a night, verbose and with rejects written to a file',
    mustHold:
      'unread lines are reported (exit 1, 2 or 3); no token is printed, logged or written outside the sealed column',
  },
  async (row) => {
    const place = openWorkspace(null, { settings: 'logLevel: debug\n' });
    try {
      const texts: string[] = [];
      let silent = 0;
      for (const [name, text] of Object.entries(FILES)) {
        place.write(name, name.startsWith('utf16') ? Buffer.from(text, 'utf16le') : text);
        const rejects = ['--rejects', `${name}.rejects.csv`];
        for (const args of [['import', name, '-v', ...rejects], ...(row.isShort ? [] : [['import', name, '--json']])]) {
          const { code, out, err } = await place.process(args);
          texts.push(out, err);
          if (code === 0 && !READABLE.includes(name)) silent++;
        }
      }
      for (const name of readdirSync(place.folder, { recursive: true, encoding: 'utf8' })) {
        const isInput = Object.hasOwn(FILES, name);
        if (!isInput && statSync(place.path(name)).isFile()) texts.push(readFileSync(place.path(name), 'latin1'));
      }
      const printed = texts.filter((text) => TOKENS.some((token) => text.includes(token))).length;
      row.measured('files', Object.keys(FILES).length);
      row.measured('texts searched', texts.length);
      row.measured('tokens found', printed);
      row.measured('files neither read nor reported', silent);
      expect(printed).toBe(0);
      expect(silent).toBe(0);
    } finally {
      place.remove();
    }
  },
);
