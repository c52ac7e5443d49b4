import { describe, expect, it } from 'vitest';
import { captureReferenceData } from '../../src/capture/reference-data.ts';
import type { Drift } from '../../src/domain/snapshot.ts';
import type { RawCall, ServiceClient } from '../../src/ports/service.ts';
import type { ReferenceInput } from '../../src/ports/store/store.ts';
import { at, someAssetTerms, someGlobalTerms, someMethods } from '../support/builders.ts';
import { namedError } from '../support/named-error.ts';

const THEN = at('2026-11-20 03:00');
const NOW = at('2026-11-20 03:01');
const ANSWER = { body: '{"as":"received"}', sha256: 'abc123', at: THEN };
const METHODS = [...someMethods().values()];
const GLOBAL = someGlobalTerms();
const ASSETS = [someAssetTerms()];

interface Told {
  inUse?: readonly string[];
  listed?: readonly { code: string; onramp: boolean; offramp: boolean }[];
  countries?: { httpStatus: number; body: string };
  /** Failures by request: `methods onramp`, `assets offramp GBP`. */
  failing?: Readonly<Record<string, Error>>;
  leftOut?: readonly Drift[];
}

function world({ inUse = [], listed = [], countries = { httpStatus: 200, body: 'abc' }, ...told }: Told = {}) {
  const { failing = {}, leftOut } = told;
  const saved: ReferenceInput[] = [];
  const asked: unknown[] = [];
  const answer = <T>(what: string, options: object, value: T): T => {
    asked.push({ what, ...options });
    const failure = failing[what];
    if (failure !== undefined) throw failure;
    return value;
  };
  const client: Pick<ServiceClient, 'methods' | 'currencies' | 'assets' | 'raw'> = {
    methods: async (options) => answer(`methods ${options.direction}`, options, { ...ANSWER, methods: METHODS }),
    currencies: async (options) => answer('currencies', options, { ...ANSWER, currencies: listed }),
    assets: async (options) =>
      answer(`assets ${options.direction} ${'currency' in options ? options.currency : 'EUR'}`, options, {
        ...ANSWER,
        global: GLOBAL,
        assets: ASSETS,
        ...(leftOut === undefined ? {} : { leftOut }),
      }),
    raw: async (call: RawCall) => answer(call.name, call, countries),
  };
  const store = {
    tracked: { currenciesInUse: async () => inUse },
    reference: {
      save: async (...inputs: readonly ReferenceInput[]) => {
        saved.push(...inputs);
      },
    },
  };
  return { saved, asked, capture: () => captureReferenceData(client as ServiceClient, store, () => NOW) };
}

const ALL = { withDisabled: true, withHidden: true };
const named = namedError;

describe('reference data', () => {
  it('is methods, currencies, countries, and the assets of every currency in use', async () => {
    const { capture, asked } = world({ inUse: ['GBP'] });
    expect(await capture()).toEqual({
      captured: [
        'methods onramp',
        'methods offramp',
        'currencies',
        'countries',
        'assets onramp EUR',
        'assets offramp EUR',
        'assets onramp GBP',
        'assets offramp GBP',
      ],
      failed: [],
    });
    expect(asked).toEqual([
      { what: 'methods onramp', direction: 'onramp', pace: 'paced' },
      { what: 'methods offramp', direction: 'offramp', pace: 'paced' },
      { what: 'currencies', pace: 'paced' },
      { what: 'countries', name: 'countries', api: 'v1', query: {} },
      { what: 'assets onramp EUR', direction: 'onramp', currency: 'EUR', ...ALL, pace: 'paced' },
      { what: 'assets offramp EUR', direction: 'offramp', currency: 'EUR', ...ALL, pace: 'paced' },
      { what: 'assets onramp GBP', direction: 'onramp', currency: 'GBP', ...ALL, pace: 'paced' },
      { what: 'assets offramp GBP', direction: 'offramp', currency: 'GBP', ...ALL, pace: 'paced' },
    ]);
  });

  it('is stored unchanged, with the facts read from it', async () => {
    const { capture, saved } = world();
    await capture();
    expect(saved).toEqual([
      { type: 'methods', direction: 'onramp', methods: METHODS, ...ANSWER },
      { type: 'methods', direction: 'offramp', methods: METHODS, ...ANSWER },
      { type: 'currencies', currencies: [], ...ANSWER },
      {
        type: 'countries',
        body: 'abc',
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        at: NOW,
      },
      { type: 'assets', direction: 'onramp', currency: 'EUR', global: GLOBAL, assets: ASSETS, ...ANSWER },
      { type: 'assets', direction: 'offramp', currency: 'EUR', global: GLOBAL, assets: ASSETS, ...ANSWER },
    ]);
  });

  it('has each currency once, in the order of the alphabet', async () => {
    const { capture } = world({ inUse: ['USD', 'EUR', 'BRL'] });
    const { captured } = await capture();
    expect(captured.filter((what) => what.startsWith('assets onramp'))).toEqual([
      'assets onramp BRL',
      'assets onramp EUR',
      'assets onramp USD',
    ]);
  });

  it('leaves out the directions that the Service says a currency has not', async () => {
    const { capture } = world({
      inUse: ['BRL', 'GBP', 'XXX'],
      listed: [
        { code: 'BRL', onramp: true, offramp: false },
        { code: 'EUR', onramp: false, offramp: false },
        { code: 'GBP', onramp: true, offramp: true },
      ],
    });
    const { captured } = await capture();
    expect(captured.slice(4)).toEqual([
      'assets onramp BRL',
      'assets onramp GBP',
      'assets offramp GBP',
      // Not listed at all: the list may be the part that is wrong.
      'assets onramp XXX',
      'assets offramp XXX',
    ]);
  });
});

describe('what cannot be captured', () => {
  it('is reported with its reason, and does not stop the rest', async () => {
    const { capture, saved } = world({
      failing: {
        currencies: named('NotJsonError', 'not JSON'),
        'assets onramp EUR': named('DeadlineError', 'too late'),
      },
    });
    expect(await capture()).toEqual({
      captured: ['methods onramp', 'methods offramp', 'countries', 'assets offramp EUR'],
      failed: ['currencies: not JSON', 'assets onramp EUR: too late'],
    });
    expect(saved).toHaveLength(4);
  });

  it('is an asset that cannot be read; the others of its list are captured', async () => {
    const bad = { field: 'assets[3].price.EUR', problem: 'value', found: '-5', hint: null } as const;
    const drift = { ...bad, expected: 'a number that is not negative' };
    const { capture } = world({ leftOut: [drift, drift] });
    const { captured, failed } = await capture();
    expect(captured).toContain('assets onramp EUR');
    expect(failed[0]).toBe(
      'an asset of onramp EUR: assets[3].price.EUR is -5, not a number that is not negative, and 1 more',
    );
  });

  it('is a list of countries that came with another status than 200', async () => {
    const { capture, saved } = world({ countries: { httpStatus: 503, body: '{}' } });
    const { failed } = await capture();
    expect(failed).toEqual(['countries: the Service rejected the request: HTTP 503']);
    expect(saved.some(({ type }) => type === 'countries')).toBe(false);
  });

  it('stops everything where it is about every request', async () => {
    const failure = named('TlsError', 'certificate not trusted');
    const { capture, asked } = world({ failing: { 'methods offramp': failure } });
    await expect(capture()).rejects.toBe(failure);
    expect(asked).toHaveLength(2);
  });
});
