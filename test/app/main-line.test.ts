/** A run closes the client and the queue that it opens, however its fetch ends. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nightly } from '../../jobs/nightly.ts';
import { openFor } from '../../src/app/library/open.ts';
import { settingsFrom } from '../../src/app/library/settings.ts';
import type { createServiceClient } from '../../src/service/client.ts';

const clients = vi.hoisted(() => ({ opened: 0, closed: 0 }));
vi.mock(import('../../src/service/client.ts'), async (original) => {
  const actual = await original();
  return {
    ...actual,
    createServiceClient: (options: Parameters<typeof createServiceClient>[0]) => {
      const client = actual.createServiceClient(options);
      clients.opened++;
      const close = async () => {
        clients.closed++;
        await client.close();
      };
      return { ...client, close };
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-main-line-'));
  clients.opened = 0;
  clients.closed = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function night(workers: boolean) {
  const { app, close } = await openFor(
    await settingsFrom({
      settings: {
        // Nothing listens on the discard port.
        service: { url: 'http://127.0.0.1:9/api', retries: 0 },
        database: { url: `sqlite:${join(folder, 'tieout.db')}` },
        workers: { enabled: workers },
        out: join(folder, 'out'),
      },
    }),
  );
  try {
    return await app.run(nightly, {
      businessDate: '2026-11-20',
      selection: null,
      resume: false,
      maxDurationMs: null,
      maxRequests: null,
    });
  } finally {
    await close();
  }
}

it('closes its client after the fetch', async () => {
  await night(false).catch(() => undefined);
  expect(clients).toEqual({ opened: 1, closed: 1 });
});

it('leaves no client open where the queue cannot be opened', async () => {
  await expect(night(true)).rejects.toThrow(/^Workers share a run through PostgreSQL/);
  expect(clients.opened).toBe(clients.closed);
});
