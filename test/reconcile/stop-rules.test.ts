import { describe, expect, it } from 'vitest';
import type { FetchResult } from '../../src/ports/service.ts';
import { IdentifierNameError, ServiceUnavailableError } from '../../src/ports/service-errors.ts';
import { AnswerCount } from '../../src/reconcile/stop-rules.ts';
import { NO_ANSWERS } from './support/fetching.ts';

type Unreachable = Extract<FetchResult, { outcome: 'unreachable' }>;
type Quarantined = Extract<FetchResult, { outcome: 'quarantined' }>;
const unreachable = (reason: Unreachable['reason'], httpStatus: number | null): Unreachable => ({
  outcome: 'unreachable',
  reason,
  httpStatus,
  errorCode: null,
  attempts: 1,
  at: 0,
});
const denied = unreachable('ACCESS_DENIED', 403);
const missing = unreachable('RECORD_MISSING', 404);
const silent = unreachable('NETWORK', null);
const failing = unreachable('SERVER_ERROR', 500);
const readable = { outcome: 'verified', state: { kind: 'sale' } } as FetchResult;
const purchase = { outcome: 'verified', state: { kind: 'purchase' } } as FetchResult;
const swapped: Quarantined = {
  outcome: 'quarantined',
  reason: 'RECORD_ID_MISMATCH',
  detail: 'another id',
  drift: [],
  body: null,
  attempts: 1,
  httpStatus: 200,
  at: 0,
};

const drifted: FetchResult = { ...swapped, reason: 'SCHEMA_DRIFT' };
const misnamed: FetchResult = { ...drifted, otherName: 'Maker' };
const notFound: FetchResult = { ...missing, errorCode: 'RECORD_NOT_FOUND' };

const after = (...answers: FetchResult[]) => {
  const count = new AnswerCount();
  for (const answer of answers) count.note(answer);
  return count;
};
const times = (n: number, answer: FetchResult) => Array.from({ length: n }, () => answer);

describe('answers that are not about the records', () => {
  it('are most of them refused: a wrong token set', () => {
    expect(() => after(...times(20, denied)).check(false)).toThrow(/20 of 20 answers refused the view token/);
    expect(() => after(...times(11, denied), ...times(9, missing)).check(false)).toThrow(ServiceUnavailableError);
  });

  it('are ids swapped again and again', () => {
    expect(() => after(...times(20, swapped)).check(false)).toThrow(/20 of 20 answers were another record's body/);
    expect(() => after(...times(3, swapped), ...times(2, readable)).check(true)).toThrow(ServiceUnavailableError);
  });

  it('are, at the end of the run, three refusals of five', () => {
    expect(() => after(...times(3, denied), ...times(2, readable)).check(true)).toThrow(/3 of 5 answers refused/);
    expect(() => after(...times(3, denied), ...times(2, readable)).check(false)).not.toThrow();
  });

  it('carry the name by which the command line knows them', () => {
    expect(new ServiceUnavailableError('…').name).toBe('ServiceUnavailableError');
  });

  it('are no answers at all', () => {
    expect(() => after(...times(20, silent)).check(false)).toThrow(
      /no usable answer for any of 20 records \(network\)/,
    );
    expect(() => after(silent).check(true)).toThrow(ServiceUnavailableError);
    expect(() => after(...times(5, failing)).check(true)).toThrow(/server error, HTTP 500/);
  });

  it.each([
    ['no server at the address', silent, 'network'],
    [
      'no such path there',
      { ...unreachable('CLIENT_ERROR', 404), errorCode: 'CANNOT_GET' },
      'client error, HTTP 404, CANNOT_GET',
    ],
  ] as const)('are few of them, at the end, where there is %s', (_, absent, words) => {
    expect(() => after(absent).check(true)).toThrow(`any of 1 records (${words})`);
    expect(() => after(...times(4, absent)).check(false)).not.toThrow();
  });

  it('are all of them missing at the end of the night, without a code of the Service: another system', () => {
    expect(() => after(...times(20, missing)).check(true)).toThrow(/All 20 answers were 404/);
    expect(() => after(...times(19, missing)).check(true)).not.toThrow();
    const inItsWords = { ...missing, errorCode: 'RECORD_NOT_FOUND' };
    expect(() => after(...times(500, inItsWords)).check(true)).not.toThrow();
    // Ids that were tracked wrongly may all be asked for first.
    expect(() => after(...times(500, missing)).check(false)).not.toThrow();
  });
});

describe('answers about the records', () => {
  it('are a third of them missing', () => {
    expect(() => after(...times(20, missing), ...times(40, readable)).check(true)).not.toThrow();
    expect(() => after(...times(200, missing), readable).check(true)).not.toThrow();
  });

  it('are half of them refused, and fewer', () => {
    expect(() => after(...times(10, denied), ...times(10, missing)).check(true)).not.toThrow();
    expect(() => after(...times(10, swapped), ...times(10, readable)).check(true)).not.toThrow();
  });

  it('are bodies that could not be read, and are counted as answers', () => {
    expect(() => after(...times(10, denied), ...times(10, drifted)).check(false)).not.toThrow();
    expect(() => after(drifted, ...times(50, silent)).check(true)).not.toThrow();
  });

  it('are those in the envelope of the Service, and those of records that already have a break', () => {
    expect(() => after(...times(20, missing), notFound).check(true)).not.toThrow();
    const count = after(...times(20, missing));
    count.note(missing, false, true);
    expect(() => count.check(true)).not.toThrow();
  });

  it.each([null, 'NOT', 'not_found', 'see NOT_FOUND', 'NOT_FOUND for you'])(
    'are no 404s with a code that is none of the application’s: %s',
    (errorCode) => {
      expect(() => after(...times(20, { ...missing, errorCode })).check(true)).toThrow(/All 20 answers were 404/);
    },
  );

  it('are a handful, however they look: a majority of four proves nothing', () => {
    expect(() => after(...times(4, denied)).check(true)).not.toThrow();
    expect(() => after(...times(19, denied)).check(false)).not.toThrow();
    expect(() => after(...times(19, swapped)).check(false)).not.toThrow();
  });

  it('are the failures of a quiet night, when few records are due', () => {
    expect(() => after(...times(4, failing)).check(true)).not.toThrow();
    expect(() => after(...times(3, failing), silent).check(true)).not.toThrow();
    expect(() => after(unreachable('TIMEOUT', null)).check(true)).not.toThrow();
    // The connection was made and then broke within the answer; another code than that of an unknown path.
    expect(() => after(unreachable('NETWORK', 200)).check(true)).not.toThrow();
    expect(() => after({ ...failing, errorCode: 'WE_CANNOT_' }).check(true)).not.toThrow();
  });

  it('are missing answers beside one that came', () => {
    expect(() => after(missing, ...times(50, silent)).check(true)).not.toThrow();
  });
});

describe('a refusal that already has a break', () => {
  it('proves nothing about the address, however many there are', () => {
    const count = new AnswerCount();
    for (const answer of [...times(50, denied), ...times(50, swapped)]) count.note(answer, true);
    expect(() => count.check(true)).not.toThrow();
    expect(count.hopeless).toBe(false);
  });

  it('hides no outage: the others are counted as ever', () => {
    const count = new AnswerCount();
    for (const answer of times(30, denied)) count.note(answer, true);
    for (const answer of times(20, denied)) count.note(answer);
    expect(() => count.check(false)).toThrow(/20 of 20 answers refused the view token/);
  });

  it('counts where the record is read again', () => {
    const count = new AnswerCount();
    count.note(readable, true);
    expect(count.proven).toBe(true);
  });

  it('counts where the record answers otherwise than it did', () => {
    const count = new AnswerCount();
    for (const answer of times(5, failing)) count.note(answer, true);
    expect(() => count.check(true)).toThrow(ServiceUnavailableError);
  });
});

it('five refusals before any success are hopeless; one success is hope', () => {
  expect(after(...times(5, denied)).hopeless).toBe(true);
  expect(after(...times(3, denied), ...times(2, silent)).hopeless).toBe(true);
  expect(after(...times(4, silent)).hopeless).toBe(false);
  expect(after(missing, ...times(9, denied)).hopeless).toBe(false);
  expect(after(drifted, ...times(9, denied)).hopeless).toBe(false);
  expect(after(readable, missing, ...times(9, denied)).hopeless).toBe(false);
  expect(after(missing, drifted, ...times(9, denied)).hopeless).toBe(false);
});

describe('whether this address is served', () => {
  it.each([
    ['a readable body', readable, true],
    ['one that cannot be read', drifted, true],
    ['a record that is missing, in the words of the Service', notFound, true],
    // Any server may answer so for every path.
    ['a 404 of an unknown server', missing, false],
    ['a refusal', denied, false],
    ['another record’s body', swapped, false],
    ['silence', silent, false],
  ] as const)('is reported by %s', (_, answer, proves) => {
    expect(after(answer).proven).toBe(proves);
  });

  it('is another question than whether a server answered', () => {
    expect(after().anyAnswer).toBe(false);
    expect(after(silent, failing).anyAnswer).toBe(false);
    expect(after(denied).anyAnswer).toBe(true);
  });
});

describe('bodies with another maker’s name', () => {
  it('are a wrong setting where no purchase has the configured name: reported at the third, or at the end', () => {
    expect(() => after(...times(2, misnamed)).check(false)).not.toThrow();
    expect(() => after(readable, ...times(3, misnamed)).check(false)).toThrow(
      'All of the first 3 purchase bodies have baseMakerFee: the settings name another maker. Nothing was judged; set service.identifierName to Maker',
    );
    expect(() => after(misnamed).check(true)).toThrow(IdentifierNameError);
    expect(() =>
      AnswerCount.together([after(misnamed).figures(), after(...times(2, misnamed)).figures()]).check(false),
    ).toThrow(IdentifierNameError);
  });

  it('are drift of those records where another purchase could be read', () => {
    expect(() => after(purchase, ...times(5, misnamed)).check(true)).not.toThrow();
  });
});

describe('figures of several counts', () => {
  const one = () => after(readable, readable, denied, swapped, silent);
  const other = () => after(missing, drifted, notFound, failing, denied, denied);

  it('say how many answers of each sort there were', () => {
    const counts = { readable: 2, denied: 1, mismatched: 1, unanswered: 1, absent: 1 };
    expect(one().figures()).toEqual({ ...NO_ANSWERS, ...counts, lastProblem: 'network' });
    expect(after().figures().lastProblem).toBe('');
  });

  it('add up, and the last problem is one that there was', () => {
    const counts = { readable: 2, denied: 3, mismatched: 1, unanswered: 2, absent: 1, missing: 1, other: 2 };
    const together = AnswerCount.together([one().figures(), other().figures(), after().figures()]);
    expect(together.figures()).toEqual({ ...NO_ANSWERS, ...counts, lastProblem: 'server error, HTTP 500' });
  });

  it('are judged like those of one: ten refusals here and ten there', () => {
    const ten = after(...times(10, denied)).figures();
    expect(() => AnswerCount.together([ten, ten]).check(false)).toThrow(/20 of 20 answers refused/);
  });
});
