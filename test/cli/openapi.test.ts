import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faultsOf, type Json, operationsOf } from '../support/openapi.ts';
import { tieout } from './world.ts';

it.each([
  ['sandbox', 'GET /api/host-api/purchase/{id}'],
  ['serve', 'POST /webhooks/purchases'],
])('openapi %s prints the document, without a server or a database', async (server, operation) => {
  const { code, out, err } = await tieout(`openapi ${server}`);
  expect([code, err]).toEqual([0, '']);
  const document = JSON.parse(out) as Json;
  expect(operationsOf(document)).toContain(operation);
  expect(await faultsOf(document)).toBeNull();
});

it("has the maker's name as the settings have it", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-openapi-'));
  const file = join(folder, 'maker.yaml');
  writeFileSync(file, 'service:\n  identifierName: Maker\n');
  try {
    for (const server of ['sandbox', 'serve']) {
      const { out } = await tieout(['openapi', server, '--config', file]);
      expect(out).toContain('"baseMakerFee"');
      expect(out).not.toContain('"baseServiceFee"');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('knows no third server', async () => {
  expect((await tieout('openapi widget')).code).toBe(2);
});
