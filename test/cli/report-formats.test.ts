import { describe, expect, it } from 'vitest';
import { tieout } from './world.ts';

describe('tieout report --format', () => {
  it('names the formats that there are', async () => {
    const { code, err } = await tieout('report nightly-2026-11-20-r1 --format csv,pdf --out x');
    expect(code).toBe(2);
    expect(err).toContain('--format pdf: choose from csv, xlsx, html, json');
  });

  it('takes no empty one', async () => {
    const { code, err } = await tieout('report nightly-2026-11-20-r1 --format xlsx, --out x');
    expect(code).toBe(2);
    expect(err).toContain('--format (empty): choose from csv, xlsx, html, json');
  });
});
