import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Circle, closeTheCircle, orderByCalls } from './support/circle.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

describe('the circle: ordered in the Service, delivered to tieout serve, reconciled at night (spec §4.4, §5, §6)', () => {
  let circle: Circle;
  beforeAll(async () => {
    circle = await closeTheCircle({ order: orderByCalls });
  });
  afterAll(() => circle?.close());

  it('delivers each webhook, and each once', () => {
    const types = circle.deliveries.map(({ type }) => type).sort();
    expect(types).toEqual([...Array(4).fill('CREATED'), ...Array(4).fill('RELEASED')]);
    expect(circle.metrics).toContain('tieout_deliveries_total{kind="purchase",result="stored"} 6');
    expect(circle.metrics).toContain('tieout_deliveries_total{kind="sale",result="stored"} 2');
    expect(circle.metrics).toContain('tieout_records_awaiting_recheck 0');
  });

  it('matches every record with the quote that was captured when it was made', () => {
    expect([circle.nightly.code, circle.nightly.err]).toEqual([
      0,
      expect.stringMatching(/^\{[^\n]*"msg":"started"\}\n$/),
    ]);
    const seen = circle.records.map((row) => [row.kind, row.verdict, row.status, row.quote_basis, row.host_reference]);
    expect(seen).toEqual([
      ...Array(3).fill(['purchase', 'matched', 'RELEASED', 'captured', 'userId=42']),
      ['sale', 'matched', 'RELEASED', 'captured', 'userId=43'],
    ]);
    expect(circle.breaksBefore).toEqual([]);
    expect(circle.verified.code).toBe(0);
    expect(JSON.parse(circle.nightly.out)).toMatchObject({ webhooks_missed: 0 });
  });

  it('finds the one record that the Service changed afterwards, and no other', () => {
    expect(circle.audit.code).toBe(1);
    expect(JSON.parse(circle.audit.out)).toMatchObject({ verdicts: { matched: 3, break: 1 } });
    expect(new Set(circle.breaksAfter.map((row) => row.record_id))).toEqual(new Set([circle.tampered]));
    expect(circle.breaksAfter.map((row) => row.rule)).toEqual(
      expect.arrayContaining(['FEE_APPLIED_DIFFERS', 'RESTATED']),
    );
  });

  it('reveals no secret on the way', () => {
    const told = circle.served.err + circle.nightly.out + circle.audit.out + circle.metrics;
    expect(circle.secrets).toHaveLength(5);
    for (const secret of circle.secrets) expect(told).not.toContain(secret);
    expect(circle.served.code).toBe(143);
  });
});
