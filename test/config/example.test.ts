import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../config/environment.ts';
import { settingsOf } from '../../config/setting.ts';
import { SCHEMA } from '../../config/settings.ts';
import { exampleYaml, schemaJson, settingsTypes } from '../../config/write-example.ts';
import { load } from './loading.ts';

const text = readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
const settings = [...settingsOf(SCHEMA)];

/** The comment block above the line that has a setting, found by walking the lines with their indentation. */
function commentAbove(path: readonly string[]): string {
  const lines = text.split('\n');
  let at = -1;
  for (const [depth, name] of path.entries()) {
    at = lines.findIndex((line, index) => index > at && line.startsWith(`${'  '.repeat(depth)}${name}:`));
    if (at < 0) throw new Error(`${path.join('.')} is not in the example`);
  }
  const block: string[] = [];
  for (let line = at - 1; lines[line]?.trimStart().startsWith('#'); line--) block.unshift(lines[line] ?? '');
  return block.map((line) => line.trim().replace(/^# ?/, '')).join(' ');
}

describe('config/example.yaml', () => {
  it('is what `node config/write-example.ts` writes', () => {
    expect(text).toBe(exampleYaml());
  });

  it('changes nothing when it is copied unchanged', () => {
    expect(load({ yaml: text }).settings).toEqual(load().settings);
  });

  it('has the defaults that deployments rely on', () => {
    // Written out here, and not read from the schema.
    expect(parse(text)).toMatchObject({
      service: { url: 'none', concurrency: 8, guard: '5s', timeout: '20s', retries: 3 },
      database: { url: 'sqlite:var/tieout.db', lease: { ttl: '60s' } },
      sources: [],
      rules: {},
      schedule: { jobs: { nightly: '15 4 * * *', recheck: '*/10 * * * *' } },
      webhooks: { port: 8080, requireSignature: true },
      retention: { snapshots: '400d', events: '400d' },
    });
  });

  it.each(settings.filter(({ hide }) => hide !== 'secret').map((each) => [each.path.join('.'), each] as const))(
    'documents %s above it',
    (_name, { path, text: sentences, allowed, env }) => {
      expect(commentAbove(path)).toContain(sentences);
      if (allowed) expect(commentAbove(path)).toContain(`Allowed: ${allowed}.`);
      if (env !== undefined) expect(commentAbove(path)).toContain(env.name);
    },
  );

  it('holds no secret, and names the variable of each', () => {
    const shown: unknown = parse(text);
    expect(shown).not.toHaveProperty('secretKey');
    expect(shown).not.toHaveProperty('service.hostApiKey');
    expect(shown).not.toHaveProperty('webhooks.intakeToken');
    expect(shown).not.toHaveProperty('notify.smtpPassword');
    for (const { name } of VARIABLES) expect(text).toContain(name);
  });

  it.each(settings.filter(({ example }) => example !== undefined).map((each) => [each.path.join('.'), each] as const))(
    'the example of %s loads',
    (_name, { path, example = '' }) => {
      const last = path.length - 1;
      const indented = example.split('\n').map((line) => `${'  '.repeat(path.length)}${line}`);
      const heads = path.slice(0, last).map((name, depth) => `${'  '.repeat(depth)}${name}:`);
      const yaml = [...heads, `${'  '.repeat(last)}${path[last]}:`, ...indented].join('\n');
      expect(load({ yaml }).settings).not.toEqual(load().settings);
    },
  );
});

it('config/settings-types.ts is what `node config/write-example.ts` writes', () => {
  expect(readFileSync(new URL('../../config/settings-types.ts', import.meta.url), 'utf8')).toBe(settingsTypes());
});

describe('config/tieout.schema.json', () => {
  const written = readFileSync(new URL('../../config/tieout.schema.json', import.meta.url), 'utf8');
  const valid = new Ajv({ allowUnionTypes: true, allErrors: true }).compile(JSON.parse(written));
  const problems = (yaml: string) => {
    valid(parse(yaml));
    return (valid.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };

  it('is what `npm run generate` writes, in the layout of Biome', () =>
    expect(JSON.parse(written)).toEqual(JSON.parse(schemaJson())));

  it('lets the documented settings pass, and every example', () => {
    expect(problems(text)).toEqual([]);
    for (const { path, example } of settings) {
      if (example === undefined) continue;
      const nested = path.reduceRight<unknown>((value, name) => ({ [name]: value }), parse(example));
      expect(problems(JSON.stringify(nested)), path.join('.')).toEqual([]);
    }
  });

  it.each([
    ['servcie: {}', ' additionalProperties'],
    ['service: { concurency: 8 }', '/service additionalProperties'],
    ['service: { concurrency: many }', '/service/concurrency type'],
    ['service: { concurrency: 0 }', '/service/concurrency minimum'],
    ['service: { guard: 5 sec }', '/service/guard pattern'],
    ['reports: { formats: [pdf] }', '/reports/formats/0 enum'],
    ['sources: [{ name: a, type: file }]', '/sources/0 required'],
    ['secretKey: abc', '/secretKey not'],
    ['rules: { QUOTE_MISSING: { severity: huge } }', '/rules/QUOTE_MISSING/severity enum'],
  ])('%s is a mistake', (yaml, problem) => expect(problems(yaml).join('; ')).toContain(problem));

  it('has a text for each setting', () => {
    for (const { path } of settings) {
      let shape = JSON.parse(written);
      for (const name of path) shape = shape.properties[name];
      expect(shape.description, path.join('.')).toMatch(/\w/);
    }
  });
});

it('the variables are the documented ones', () => {
  expect(VARIABLES.map(({ name, file }) => (file ? `${name} (or _FILE)` : name)).sort()).toEqual([
    'TIEOUT_CONFIG',
    'TIEOUT_COOKIE_KEY (or _FILE)',
    'TIEOUT_DATABASE_URL (or _FILE)',
    'TIEOUT_HOST_API_KEY (or _FILE)',
    'TIEOUT_INTAKE_TOKEN (or _FILE)',
    'TIEOUT_LOG_LEVEL',
    'TIEOUT_OIDC_CLIENT_SECRET (or _FILE)',
    'TIEOUT_OUT',
    'TIEOUT_SECRET_KEY (or _FILE)',
    'TIEOUT_SERVICE_PROXY (or _FILE)',
    'TIEOUT_SERVICE_URL',
    'TIEOUT_SIGNING_KEY_FILE',
    'TIEOUT_SMTP_PASSWORD (or _FILE)',
    'TIEOUT_WEBHOOK_PUBLIC_KEY (or _FILE)',
  ]);
});
