import { describe, expect, it } from 'vitest';
import { forecast, type PlanTerms } from '../../src/app/plan.ts';
import type { DueClass } from '../../src/domain/due.ts';

const NOW = Date.parse('2026-11-21T04:15:00Z');

/** 11 requests in 10 s, no guard: one a second, as the eleventh is kept back for the spacing. */
const A_SECOND_EACH: PlanTerms = {
  limits: [{ requests: 11, perMs: 10_000 }],
  guardMs: 0,
  now: NOW,
  startsAt: NOW,
  maxRequests: null,
  maxDurationMs: null,
};

const DUE: Readonly<Record<DueClass, number>> = {
  'never-verified': 10,
  'open-break': 5,
  'not-terminal': 20,
  'post-terminal': 15,
  requested: 0,
};

const deferredOf = (terms: Partial<PlanTerms>) =>
  forecast(DUE, { ...A_SECOND_EACH, ...terms }).classes.map((each) => each.deferred);

describe('a forecast', () => {
  it('gives each class its own time, and the time at which it would be done', () => {
    const { classes, requests, durationMs, endsAt } = forecast(DUE, A_SECOND_EACH);
    expect(classes.map((each) => [each.class, each.requests, each.durationMs, each.endsAt])).toEqual([
      ['never-verified', 10, 9_000, NOW + 9_000],
      ['open-break', 5, 4_000, NOW + 14_000],
      ['not-terminal', 20, 19_000, NOW + 34_000],
      ['post-terminal', 15, 14_000, NOW + 49_000],
      ['requested', 0, 0, null],
    ]);
    expect([requests, durationMs, endsAt]).toEqual([50, 49_000, NOW + 49_000]);
  });

  it('defers nothing without a budget, nor with one that is enough', () => {
    expect(deferredOf({})).toEqual([0, 0, 0, 0, 0]);
    expect(deferredOf({ maxRequests: 50 })).toEqual([0, 0, 0, 0, 0]);
    expect(deferredOf({ maxDurationMs: 49_000 })).toEqual([0, 0, 0, 0, 0]);
  });

  it('spends a budget of requests in the order of the classes', () => {
    expect(deferredOf({ maxRequests: 12 })).toEqual([0, 3, 20, 15, 0]);
    expect(deferredOf({ maxRequests: 35 })).toEqual([0, 0, 0, 15, 0]);
    expect(deferredOf({ maxRequests: 1 })).toEqual([9, 5, 20, 15, 0]);
  });

  it('turns a time into requests: the first at once, then one an interval', () => {
    expect(deferredOf({ maxDurationMs: 14_000 })).toEqual([0, 0, 20, 15, 0]);
    expect(deferredOf({ maxDurationMs: 13_999 })).toEqual([0, 1, 20, 15, 0]);
    expect(forecast(DUE, { ...A_SECOND_EACH, maxDurationMs: 14_000 })).toMatchObject({ allowed: 15, deferred: 35 });
  });

  it('lets the tighter of two budgets count', () => {
    expect(deferredOf({ maxDurationMs: 14_000, maxRequests: 3 })).toEqual([7, 5, 20, 15, 0]);
    expect(deferredOf({ maxDurationMs: 2_000, maxRequests: 30 })).toEqual([7, 5, 20, 15, 0]);
  });

  it('begins after the silence that the Service asked for, at the cost of the time allowed', () => {
    const silent = { startsAt: NOW + 10_000, maxDurationMs: 14_000 };
    expect(forecast(DUE, { ...A_SECOND_EACH, ...silent })).toMatchObject({ allowed: 5, endsAt: NOW + 59_000 });
    expect(forecast(DUE, { ...A_SECOND_EACH, startsAt: NOW + 15_000, maxDurationMs: 14_000 }).allowed).toBe(0);
  });

  it('shares the requests among addresses, each with the limits to itself', () => {
    // 50 over four: 13, 13, 12 and 12; thirteen take twelve seconds.
    const four = forecast(DUE, { ...A_SECOND_EACH, addresses: 4 });
    expect([four.requests, four.durationMs, four.endsAt]).toEqual([50, 12_000, NOW + 12_000]);
    expect(four.classes.map((each) => each.durationMs)).toEqual([2_000, 1_000, 4_000, 3_000, 0]);
    // Five seconds are six requests for each of them.
    expect(forecast(DUE, { ...A_SECOND_EACH, addresses: 4, maxDurationMs: 5_000 })).toMatchObject({
      allowed: 24,
      deferred: 26,
    });
    expect(deferredOf({ addresses: 4, maxDurationMs: 5_000 })).toEqual([0, 0, 11, 15, 0]);
    // A budget of requests is the run's, however many fetch.
    expect(deferredOf({ addresses: 4, maxRequests: 12 })).toEqual([0, 3, 20, 15, 0]);
    // More addresses than requests: all at once.
    expect(forecast(DUE, { ...A_SECOND_EACH, addresses: 64 }).durationMs).toBe(0);
  });

  it('says nothing of times where nothing limits, and nothing of what a time would leave', () => {
    const free = { limits: [], maxDurationMs: 60_000 };
    expect(forecast(DUE, { ...A_SECOND_EACH, ...free })).toMatchObject({
      requests: 50,
      durationMs: null,
      endsAt: null,
      allowed: null,
      deferred: null,
    });
    expect(deferredOf({ ...free, maxRequests: 40 })).toEqual([null, null, null, null, null]);
    expect(deferredOf({ limits: [], maxRequests: 40 })).toEqual([0, 0, 0, 10, 0]);
  });
});
