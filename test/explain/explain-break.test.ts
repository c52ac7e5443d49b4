/** How the story is gathered and printed: a store of a few rows, and the whole page. */
import { describe, expect, it } from 'vitest';
import { storyText } from '../../src/cli/breaks/explanation-text.ts';
import { explainBreak, type StoryStore } from '../../src/explain/explain-break.ts';
import type { PastBreakEvent } from '../../src/ports/store/breaks.ts';
import type { CurrentBreak, StoredCase } from '../../src/ports/store/store.ts';
import { buildCases, type Lookups } from '../../src/reconcile/build-cases.ts';
import { freezeTerms } from '../../src/rules/terms.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { aCase, aMatchedQuote, anUnreachable, aPurchase, at, dec, SHA256, someReference } from '../support/builders.ts';
import { AS_OF } from './work-out.ts';

const state = aPurchase({
  appliedFee: '6.26',
  baseFee: '5.40',
  fiatValue: '106.26',
  status: 'RELEASING',
  hostFeeCut: '0.5',
});
const RUN = 'nightly-2026-11-02-r1';

const standing = aCurrentBreak({
  breakId: 'b0'.repeat(32),
  recordId: state.recordId,
  hostReference: 'order 7',
  state: 'waived',
  firstSeenDate: '2026-11-02',
  lastSeenDate: '2026-11-02',
  assignee: 'ann',
  waiver: { reason: 'goodwill', author: 'kim', until: null, difference: dec('1.5'), actual: '6.26' },
  explanation:
    'The user paid a fee of 6.26 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 1.50 EUR more (31.5 %), all of it in the base fee.',
  evidenceSha256: SHA256,
  events: 2,
});

const opened: PastBreakEvent = {
  type: 'opened',
  at: at('2026-11-03 00:00'),
  runId: RUN,
  businessDate: '2026-11-02',
  who: 'tieout',
  reason: null,
  after: { ...standing, state: 'open', waiver: null, assignee: null },
};
const waived: PastBreakEvent = {
  type: 'waived',
  at: at('2026-11-03 09:30'),
  runId: null,
  businessDate: null,
  who: 'kim',
  reason: 'goodwill',
  after: standing,
};

const { basis: _, ...linked } = aMatchedQuote();
const { reference: __, quote: ___, ...subject } = aCase({ state });
const stored: StoredCase = { ...subject, recordKey: 1, attempts: 1, linked };

/** What of a run the story looks at. */
const run = {
  runId: RUN,
  businessDate: '2026-11-02',
  asOf: AS_OF,
  codeVersion: '0.1.0',
  rulesHash: 'rules',
  terms: freezeTerms(someRunTerms()),
  watermarks: { quote: 1, reference: 1, breakEvent: 1, evidence: null },
  selection: { type: 'due' },
};

function storeWith(overrides: Record<string, unknown> = {}): StoryStore & Lookups {
  const facts = {
    hostReference: 'order 7',
    createdAt: null,
    quoteId: 'q-17',
    expectedStatus: null,
    conflict: null,
    webhookEvents: [],
  };
  const projection = {
    status: 'RELEASED',
    statusSince: at('2026-11-03 01:00'),
    lastVerifiedAt: at('2026-11-02 04:15'),
  };
  const store = {
    breaks: { events: async () => [opened, waived] },
    runs: { get: async () => run },
    tracked: {
      find: async () => [{ kind: 'purchase', origin: 'webhook', trackedAt: at('2026-11-01 10:00'), facts, projection }],
    },
    history: {
      caseOf: async () => stored,
      methodsCapturedAt: async () => at('2026-11-01 08:00'),
      statusChanges: async () => [
        {
          kind: 'purchase',
          recordId: state.recordId,
          from: 'RELEASING',
          to: 'RELEASED',
          fromSeenAt: at('2026-11-02 04:15'),
          toSeenAt: at('2026-11-03 01:00'),
          learnedFrom: 'webhook',
          legal: true,
        },
      ],
      sightings: async () => [
        {
          sha256: SHA256,
          at: at('2026-11-02 04:15'),
          origin: 'fetch',
          httpStatus: 200,
          status: 'RELEASING',
          kept: 'text',
        },
      ],
    },
    quotes: { captured: async () => [], get: async () => null, requests: async () => new Map(), seen: async () => [] },
    reference: { asOf: async () => [someReference()], published: async () => [] },
    ...overrides,
  };
  return store as unknown as StoryStore & Lookups;
}

function told(of: CurrentBreak, store: StoryStore & Lookups) {
  return explainBreak(of, store, someRunTerms(), (page, run, terms) => buildCases(page, run, terms, store));
}

const plain = (title: string) => title;

it.each([
  ['waived', { moneyAside: dec('1.5'), leadingBreakId: standing.breakId }, 'money at stake  1.50 EUR waived'],
  ['partly claimed', { moneyAtStake: dec('0.5'), moneyAside: dec('1'), claimId: 'c-1' }, '0.50 EUR, 1.00 EUR claimed'],
  ['of another break', { leadingBreakId: 'c1'.repeat(32) }, 'with the leading break c1c1c1c1c1c1'],
])('says where the money is: %s', async (_, stake, says) => {
  expect(storyText(await told({ ...standing, recordCurrency: 'EUR', ...stake }, storeWith()), plain)).toContain(says);
});

it('names no leading break where it leads itself', async () => {
  const story = await told({ ...standing, leadingBreakId: standing.breakId, moneyMoved: 'no' }, storeWith());
  expect(storyText(story, plain)).not.toContain('leading break');
});

it('is printed in full, on one page', async () => {
  const story = await told(standing, storeWith());
  expect(storyText(story, plain)).toBe(`FEE_APPLIED_DIFFERS (high, waived) on purchase sqs6a428mqjtzbv
  The user paid a fee of 6.26 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 1.50 EUR more
  (31.5 %), all of it in the base fee.

Why it matters
  The fee is the price of the service: a user who paid more than was promised is owed the difference
  and an answer.

What to do
  Claim the difference from the Service, or refund the user; the parts say which fee it is in.

What settles it
  A night on which the record at the Service agrees again, or a waiver for exactly this difference.

Expected and found
  break         b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0
  field         applied_fee
  expected      4.76 EUR
  found         6.26 EUR
  difference    +1.50 EUR
  tolerance     0.01 EUR
  first seen    2026-11-02
  last seen     2026-11-02
  assignee      ann
  waived        by kim: goodwill
  waived until  further notice
  waived for    +1.50 EUR

The arithmetic
  quoted fee  4.76 EUR
  actual fee  6.26 EUR
  difference  6.26 − 4.76 = +1.50 EUR
  tolerance   the larger of 0.01 and 0.00476 (0.001 × 4.76) = 0.01 EUR
  outcome     1.50 > 0.01: a break
  parts       base +1.50, network 0.00, adjustment 0.00; sum +1.50 EUR

Worked out again
  Judged again from what nightly-2026-11-02-r1 stored, by the rules and settings of that run: the
  same finding, to the digit.

The record
  record          purchase sqs6a428mqjtzbv
  host reference  order 7
  tracked         since 2026-11-01 10:00 UTC, from webhook
  linked quote    q-17
  judged in       nightly-2026-11-02-r1, as of 2026-11-03 00:00 UTC, by 0.1.0
  read            2026-11-02 04:15 UTC
  status then     RELEASING
  created         2026-11-01 10:00 UTC
  last changed    2026-11-01 10:20 UTC
  crypto          0.04 ETH_ETH (40000000000000000 units)
  total           106.26 EUR
  exchange rate   2500.00 EUR
  applied fee     6.26 EUR
  base fee        5.40 EUR
  network fee     0.86 EUR
  host fee cut    0.50 EUR
  payment method  CARD_PAYMENT
  tx hash         0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed
  status now      RELEASED, first seen 2026-11-03 01:00 UTC
  last verified   2026-11-02 04:15 UTC
  status learned  RELEASING → RELEASED, 2026-11-03 01:00 UTC, by webhook

The quote
  quote               q-17 (onramp, v3)
  captured            2026-11-01 09:56 UTC, 4 min before the record was created
  basis               linked: the application named it for this record
  for                 ETH_ETH in EUR
  method              CARD_PAYMENT
  quoted total        104.76 EUR
  quoted crypto       0.04 ETH_ETH
  quoted applied fee  4.76 EUR
  quoted base fee     3.90 EUR
  quoted network fee  0.86 EUR
  quoted rate         2500.00 EUR
  quoted price        2490.00 EUR

Reference data as of its creation
  global figures     fetched 2026-11-01 09:00 UTC, in EUR
  lowest fee         2.49 EUR
  fee percentages    0.99 % to 3.9 %
  global minimum     6.00 EUR
  global maximum     15000.00 EUR
  asset              ETH_ETH, fetched 2026-11-01 09:00 UTC
  asset minimum      no limit of its own
  asset maximum      no limit of its own
  asset network fee  0.86 EUR
  asset price        2490.00 EUR
  methods            CARD_PAYMENT, PIX; fetched 2026-11-01 08:00 UTC
  of the method      EUR, GBP, USD; 1 country

Evidence
  body (SHA-256)        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
  to read it            tieout evidence e3b0c44298fc --record sqs6a428mqjtzbv
  2026-11-02 04:15 UTC  e3b0c44298fc  fetch, RELEASING; kept  ← this break

History
  2026-11-03 00:00 UTC  opened by tieout in nightly-2026-11-02-r1 for 2026-11-02
  2026-11-03 09:30 UTC  waived by kim: goodwill`);
});

describe('gives the reason where a finding cannot be recomputed', () => {
  const recomputed = async (overrides: Record<string, unknown>) =>
    (await told(standing, storeWith(overrides))).recomputed;
  const history = (caseOf: StoredCase | null) => ({ ...storeWith().history, caseOf: async () => caseOf });

  it('and has no body, no arithmetic and no verdict by settings of today', async () => {
    expect(await told(standing, storeWith({ runs: { get: async () => null } }))).toMatchObject({
      judgedIn: null,
      state: null,
      workings: [],
      today: { changed: [], verdict: null, difference: null, tolerance: null },
    });
  });

  it.each([
    ['no run found it', { breaks: { events: async () => [waived] } }, 'no run that found it is on record'],
    ['its run is gone', { runs: { get: async () => null } }, `run ${RUN} is not stored any more`],
    ['its run goes on', { runs: { get: async () => ({ ...run, watermarks: null }) } }, `run ${RUN} is being judged`],
    ['its record was not in it', { history: history(null) }, `run ${RUN} did not look at the record`],
  ])('%s', async (_title, overrides, why) => {
    expect(await recomputed(overrides)).toEqual({ outcome: 'not-recomputed', why });
  });

  // Readers of the page have no command line.
  it.each(['payout', 'market', 'run'] as const)('on a break of kind %s, which no command mends', async (kind) => {
    const { recomputed } = await told({ ...standing, kind }, storeWith());
    expect(recomputed).toEqual({ outcome: 'not-recomputed', why: expect.not.stringMatching(/\btieout /) });
  });

  it('warns where the stored finding and the rules no longer agree', async () => {
    const altered: PastBreakEvent = { ...opened, after: { ...opened.after, actual: '7.26', difference: dec('2.5') } };
    const story = await told(standing, storeWith({ breaks: { events: async () => [altered] } }));
    expect(story.recomputed.outcome).toBe('differs');
    expect(storyText(story, plain)).toContain('do not rely on this break before an engineer has looked');
  });
});

describe('a break is judged again', () => {
  const resolved: PastBreakEvent = { ...opened, type: 'resolved', runId: 'nightly-2026-11-03-r1' };
  const byRuns = { get: async (runId: string) => ({ ...run, runId }) };
  const tell = (overrides: Record<string, unknown>, of = standing) => told(of, storeWith(overrides));
  const withCase = (caseOf: StoredCase, rest: Record<string, unknown> = {}) => ({
    ...rest,
    history: { ...storeWith().history, caseOf: async () => caseOf },
  });
  const withState = (changes: Parameters<typeof aPurchase>[0]): StoredCase => ({
    ...stored,
    observation: aCase({ state: aPurchase(changes) }).observation,
  });

  it('from the last run that found it, whatever decisions or resolution followed', async () => {
    const story = await tell({ runs: byRuns, breaks: { events: async () => [opened, waived, resolved] } });
    expect(story.judgedIn?.runId).toBe(RUN);
  });

  it('even where this version does not have its rule', async () => {
    const story = await tell({}, { ...standing, rule: 'FORMER_RULE' });
    expect([story.rule, story.recomputed]).toEqual([null, { outcome: 'not-found' }]);
    expect(story.action).toBe(
      'Look at what was expected and what was found, and decide whether to acknowledge, assign or waive it.',
    );
    expect(story.workings.map(({ label, result }) => `${label} ${result}`)).toEqual([
      'expected 4.76',
      'found 6.26',
      'difference +1.50',
      'tolerance 0.01',
      'outcome a break',
    ]);
  });

  it('even where that run could not read the record, then without a body', async () => {
    const story = await tell(withCase({ ...stored, observation: anUnreachable() }));
    expect([story.state, story.judgedIn?.methodsCapturedAt]).toEqual([null, null]);
  });

  it.each([
    ['the record has no creation time', withCase(withState({ createdAt: null }))],
    [
      'no methods were captured before it',
      { reference: { asOf: async () => [someReference({ methods: null })], published: async () => [] } },
    ],
  ])('without the time of the methods where %s', async (_where, overrides) => {
    expect((await tell(overrides)).judgedIn?.methodsCapturedAt).toBeNull();
  });
});

describe('its record', () => {
  const tracked = (kind: string) => ({
    find: async () => [
      { kind: 'sale', origin: 'file', trackedAt: 0, facts: {}, projection: {} },
      { kind, origin: 'webhook', trackedAt: 1, facts: {}, projection: {} },
    ],
  });

  it('is the one of its kind, where a purchase and a sale have one id', async () => {
    const story = await told(standing, storeWith({ tracked: tracked('purchase') }));
    expect(story.record?.origin).toBe('webhook');
  });

  it('is not shown where the record is not tracked any more', async () => {
    const story = await told(standing, storeWith({ tracked: tracked('sale') }));
    expect(story.record).toBeNull();
  });
});
