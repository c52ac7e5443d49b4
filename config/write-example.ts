/** Writes config/example.yaml and config/tieout.schema.json from the schema: every setting with its documentation. */
import { writeFileSync } from 'node:fs';
import { isRawList, isRawMap, type RawMap, type RawValue } from './raw.ts';
import { describedShape, type Setting, settingsOf } from './setting.ts';
import { SCHEMA } from './settings.ts';
import { typeOfShape } from './shape.ts';

const WIDTH = 118;

const HEADER = [
  'Every setting of Tieout with its documentation, at its default: a copy of this file changes nothing. Copy what you ' +
    'need to tieout.yaml, and leave out the rest. Made from the schema in config/ by `node config/write-example.ts`.',
  '',
  'The first of these that has a value wins: flags, environment, this file (--config FILE, TIEOUT_CONFIG, or tieout.yaml ' +
    'in the working directory), defaults. `tieout config check` shows every value and its origin.',
  '',
  'Durations are a whole number with ms, s, m, h or d: 250ms, 5s, 15m, 120h, 400d (1m is a minute). Numbers are exact: ' +
    '0.001 and 1e-9 keep every digit. Relative paths start from the working directory. Unknown names are errors.',
  '',
  'Secrets come from the environment only, never from this file or from flags. NAME_FILE is the path of a file that holds ' +
    'the value:',
].join('\n');

export function exampleYaml(): string {
  const all = [...settingsOf(SCHEMA)];
  const secrets = all.filter(({ hide }) => hide === 'secret');
  return [
    '# yaml-language-server: $schema=tieout.schema.json',
    ...comment(HEADER, ''),
    ...secrets.flatMap((each) => comment(`- ${variableOf(each)}: ${each.text}`, '')),
    ...all.filter((each) => !secrets.includes(each)).flatMap(lines),
  ]
    .join('\n')
    .concat('\n');
}

function lines(setting: Setting): string[] {
  const { path, text, fallback, allowed, env, example } = setting;
  const indent = '  '.repeat(path.length - 1);
  const note = [
    ...comment(text, indent),
    ...(allowed ? comment(`Allowed: ${allowed}.`, indent) : []),
    ...(env === undefined ? [] : comment(`Environment: ${variableOf(setting)}.`, indent)),
    ...(example === undefined ? [] : exampleLines(example, indent)),
  ];
  const name = `${indent}${path.at(-1)}:`;
  const value = fallback === undefined ? [name] : valueLines(name, fallback, indent);
  return [...(path.length === 1 ? [''] : []), ...note, ...value];
}

function variableOf({ env }: Setting): string {
  return env === undefined ? '' : env.file ? `${env.name} or ${env.name}_FILE` : env.name;
}

function exampleLines(example: string, indent: string): string[] {
  const all = example.split('\n');
  if (all.length === 1) return [`${indent}# Example: ${example}`];
  return [`${indent}# Example:`, ...all.map((line) => `${indent}#   ${line}`)];
}

/** Lines of text behind `# `, wrapped at blanks; lines that are given stay apart. */
function comment(text: string, indent: string): string[] {
  const wrapped: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = `${indent}#`;
    for (const word of paragraph.split(' ')) {
      if (line.length + 1 + word.length > WIDTH) {
        wrapped.push(line);
        line = `${indent}#`;
      }
      line += ` ${word}`;
    }
    wrapped.push(line.trimEnd());
  }
  return wrapped;
}

function valueLines(name: string, value: RawValue, indent: string): string[] {
  if (isRawList(value) && value.some(isRawMap)) return [name, ...value.map((item) => `${indent}  - ${flow(item)}`)];
  if (!isRawMap(value) || Object.keys(value).length === 0) return [`${name} ${flow(value)}`];
  return [
    name,
    ...Object.entries(value).flatMap(([key, item]) => valueLines(`${indent}  ${key}:`, item, `${indent}  `)),
  ];
}

/** One line in YAML's flow style. */
function flow(value: RawValue): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return /^[\w./-][\w ./:*{}-]*$/.test(value) ? value : JSON.stringify(value);
  if (isRawList(value)) return `[${value.map(flow).join(', ')}]`;
  const entries = Object.entries(value as RawMap);
  return entries.length === 0 ? '{}' : `{ ${entries.map(([key, item]) => `${key}: ${flow(item)}`).join(', ')} }`;
}

/** The same for editors, which find it by the first line of a settings file. */
export function schemaJson(): string {
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of Tieout' };
  return JSON.stringify({ ...head, ...describedShape(SCHEMA) });
}

/** The same for programs: `config/settings-types.ts`. */
export function settingsTypes(): string {
  const head =
    '/** Settings as a program gives them: names and values of tieout.yaml. Made by `node config/write-example.ts`. */';
  return `${head}\nexport interface TieoutSettings ${typeOfShape(describedShape(SCHEMA))}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('./settings-types.ts', import.meta.url), settingsTypes());
  writeFileSync(new URL('./example.yaml', import.meta.url), exampleYaml());
  writeFileSync(new URL('./tieout.schema.json', import.meta.url), schemaJson());
}
