import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecordId, isViewToken } from '../../src/domain/record.ts';
import { createRecordIds } from '../../src/sandbox/record-ids.ts';

describe('record ids (spec §2.8, field facts)', () => {
  it('lead back to their index, with any seed', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.nat(10_000_000), fc.constantFrom('purchase', 'sale'), (seed, index, kind) => {
        const ids = createRecordIds(seed);
        expect(ids.indexOf(ids.id(index, kind))).toBe(index);
      }),
      { numRuns: 300 },
    );
  });

  it('are all different', () => {
    const ids = createRecordIds(7);
    const seen = new Set<string>();
    for (let index = 0; index < 50_000; index++) seen.add(ids.id(index, 'purchase'));
    expect(seen.size).toBe(50_000);
  });

  it('have the forms met in the field: short and lower-case mostly, UUIDs, decimal strings', () => {
    const ids = createRecordIds(7);
    const forms = { short: 0, uuid: 0, decimal: 0 };
    for (let index = 0; index < 1000; index++) {
      const id = ids.id(index, 'purchase');
      expect(isRecordId(id)).toBe(true);
      if (/^[0-9a-z]{15}$/.test(id)) forms.short++;
      else if (/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) forms.uuid++;
      else if (/^\d+$/.test(id)) forms.decimal++;
    }
    expect(forms.short + forms.uuid + forms.decimal).toBe(1000);
    expect(forms.short).toBeGreaterThan(700);
    expect(forms.uuid).toBeGreaterThan(60);
    expect(forms.decimal).toBeGreaterThan(30);
  });

  it('come with tokens of 16 lower-case characters, the second one another', () => {
    const ids = createRecordIds(7);
    expect(ids.token(5)).toMatch(/^[0-9a-z]{16}$/);
    expect(isViewToken(ids.token(5))).toBe(true);
    expect(ids.strangerToken(5)).toMatch(/^[0-9a-z]{16}$/);
    expect(ids.strangerToken(5)).not.toBe(ids.token(5));
  });

  it.each(['', 'x', '99999999999', 'szzzzzzz0000000', '../../etc', 'S123456789abcde'])('knows nothing of %j', (id) => {
    expect(createRecordIds(7).indexOf(id)).toBeNull();
  });
});
