import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULTS } from '../../config/defaults.ts';
import { VARIABLES } from '../../config/environment.ts';
import { isRawMap, type Path, type RawValue, rawAt, showPath, showRaw } from '../../config/raw.ts';
import { settingsSchema } from '../../config/schema.ts';
import { readYaml } from '../../config/yaml-file.ts';
import { load } from './loading.ts';

const text = readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
const lines = text.split('\n');
const example = readYaml(text, 'example.yaml');

/** Settings that a file may not have. */
const FROM_ENVIRONMENT = ['service.hostApiKey', 'secretKey', 'webhooks.intakeToken', 'notify.smtpPassword'];
/** Settings for which the example shows more than the default, because the default is nothing. */
const SHOWN_BY_EXAMPLE = ['service.url', 'sources', 'tolerances.currencies', 'tolerances.rules', 'rules'];

function settings(value: RawValue, path: Path = []): { path: Path; value: RawValue }[] {
  if (isRawMap(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, item]) => settings(item, [...path, key]));
  }
  return FROM_ENVIRONMENT.includes(showPath(path)) ? [] : [{ path, value }];
}

/** What the comment above a setting gives as its default. */
function documented(path: Path): string | undefined {
  for (let line = (example.lineOf(path) ?? 0) - 2; lines[line]?.trimStart().startsWith('#'); line--) {
    const match = /^\s*# Default: (.+?)(?: \(.*\))?$/.exec(lines[line] ?? '');
    if (match !== null) return match[1];
  }
  return undefined;
}

/** Names in the schema, down to where a value or a map of one's own begins. */
function schemaPaths(schema: unknown, path: readonly string[] = []): string[] {
  return schema instanceof z.ZodObject
    ? Object.entries(schema.shape).flatMap(([key, inner]) => schemaPaths(inner, [...path, key]))
    : [path.join('.')];
}

const isOwnMap = (path: string) =>
  ['schedule.jobs', 'tolerances.currencies', 'tolerances.rules', 'rules'].includes(path);

describe('config/example.yaml', () => {
  it('loads without a problem', () => {
    const { settings } = load({ files: { 'example.yaml': text }, configFile: 'example.yaml' });
    expect(settings.service.url).toBe('https://service.example/api');
    expect(settings.sources.map(({ name, type }) => `${name} ${type}`)).toEqual(['app sql', 'inbox file']);
  });

  it.each(settings(DEFAULTS).map(({ path, value }) => [showPath(path), path, value] as const))(
    'has %s, with its default',
    (name, path, value) => {
      const shown = rawAt(example.tree, path);
      expect(shown, 'is not in the example').toBeDefined();
      const stated = documented(path);
      expect(stated, 'has no "# Default:" line above it').toBeDefined();
      if (stated === 'as here') expect(shown).toEqual(value);
      else expect(stated).toBe(value === null ? 'none' : showRaw(value));
      if (!SHOWN_BY_EXAMPLE.includes(name)) expect(shown === 'none' ? null : shown).toEqual(value);
    },
  );

  it('mentions every variable', () => {
    for (const { name } of VARIABLES) expect(text).toContain(name);
  });
});

it('every setting of the schema has a default, and every default a setting', () => {
  const inDefaults = new Set<string>();
  for (const { path } of [...settings(DEFAULTS), ...FROM_ENVIRONMENT.map((name) => ({ path: name.split('.') }))]) {
    const name = showPath(path);
    const own = path.map((_, length) => path.slice(0, length).join('.')).find(isOwnMap);
    inDefaults.add(own ?? name);
  }
  expect([...inDefaults].sort()).toEqual(schemaPaths(settingsSchema({})).sort());
});
