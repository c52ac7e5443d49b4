/** An accountant who never objects proves nothing: each of these sets is wrong in one place, and the model must say so. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Model, type PrintedEvent, type PublishedNight } from './model.ts';

const ID = createHash('sha256').update('purchase\np1\nFEE_APPLIED_DIFFERS\napplied_fee').digest('hex');

interface Told {
  date?: string;
  breaks?: readonly string[];
  records?: readonly string[];
  coverage?: readonly string[];
  status?: string;
}

const BREAKS = 'break_id,rule,state,kind,record_id,field,first_seen_date,last_seen_date,age_days,times_reopened';

/** `state first_seen last_seen age times` of the one break there is. */
function aBreak(text: string, id = ID, record = 'p1'): string {
  const [state, first, last, age, times] = text.split(' ');
  return `${id},FEE_APPLIED_DIFFERS,${state},purchase,${record},applied_fee,${first},${last},${age},${times}`;
}

/** Two records, of which p1 has a break; as it should be, but for what a test says. */
function night(told: Told = {}): PublishedNight {
  const breaks = told.breaks ?? [aBreak('open 2026-10-24 2026-10-24 0 0')];
  const open = breaks.filter((line) => /,(open|acknowledged|reopened),/.test(line)).length;
  const records = told.records ?? [`purchase,p1,${open > 0 ? 'break' : 'matched'},${open}`, 'purchase,p2,matched,0'];
  return {
    date: told.date ?? '2026-10-24',
    files: {
      records: ['kind,record_id,verdict,break_count', ...records].join('\n'),
      breaks: [BREAKS, ...breaks].join('\n'),
      coverage: ['kind,record_id,outcome', ...(told.coverage ?? ['purchase,p1,verified', 'purchase,p2,verified'])].join(
        '\n',
      ),
    },
    manifest: { status: told.status ?? 'complete' },
  };
}

/** The model's contradictions for consecutive nights. */
function judge(...nights: PublishedNight[]): readonly string[] {
  const model = new Model();
  for (const [n, each] of nights.entries()) model.night(`run-${n}`, each);
  return model.violations;
}

const SECOND: Told = { date: '2026-10-25', breaks: [aBreak('open 2026-10-24 2026-10-25 1 0')] };
const UNREACHED: Told = {
  ...SECOND,
  records: ['purchase,p1,unverified,0', 'purchase,p2,matched,0'],
  coverage: ['purchase,p1,unreachable', 'purchase,p2,verified'],
  status: 'incomplete',
};

describe('the model', () => {
  it('accepts nights that hold together', () => {
    const third = { date: '2026-10-26', breaks: [aBreak('resolved 2026-10-24 2026-10-25 2 0')] };
    const fourth = { date: '2026-10-27', breaks: [] };
    const fifth = { date: '2026-10-28', breaks: [aBreak('reopened 2026-10-24 2026-10-28 4 1')] };
    expect(judge(night(), night(SECOND), night(third), night(fourth), night(fifth))).toEqual([]);
  });

  const wrong: readonly (readonly [string, readonly PublishedNight[], RegExp])[] = [
    [
      'an id of something else',
      [night({ breaks: [aBreak('open 2026-10-24 2026-10-24 0 0', 'a'.repeat(64))] })],
      /is not the digest/,
    ],
    [
      'a second id for the same problem',
      [
        night(),
        night({
          ...SECOND,
          breaks: [...(SECOND.breaks ?? []), aBreak('open 2026-10-25 2026-10-25 0 0', 'a'.repeat(64))],
        }),
      ],
      /another id of a known break/,
    ],
    [
      'a new break that is old',
      [night({ breaks: [aBreak('open 2026-10-20 2026-10-24 4 0')] })],
      /is new, and first seen on 2026-10-20/,
    ],
    [
      'an hour mistaken for a day at the change of clocks',
      [
        night(),
        night({
          ...SECOND,
          date: '2026-10-26',
          breaks: [aBreak('open 2026-10-24 2026-10-26 1 0')],
        }),
      ],
      /is 2 days old, not 1/,
    ],
    [
      'a first sight that moves',
      [night(), night({ ...SECOND, breaks: [aBreak('open 2026-10-25 2026-10-25 0 0')] })],
      /was first seen on 2026-10-24, now on 2026-10-25/,
    ],
    ['a break that vanishes', [night(), night({ ...SECOND, breaks: [] })], /was open, and has vanished/],
    [
      'a break that resolves unverified',
      [night(), night({ ...UNREACHED, breaks: [aBreak('resolved 2026-10-24 2026-10-24 1 0')] })],
      /resolved, and its record was unreachable/,
    ],
    [
      'a break that resolves though no run fetched it',
      [
        night(),
        night({
          ...SECOND,
          breaks: [aBreak('resolved 2026-10-24 2026-10-24 1 0')],
          records: ['purchase,p2,matched,0', 'purchase,p3,matched,0'],
          coverage: ['purchase,p2,verified', 'purchase,p3,verified'],
        }),
      ],
      /resolved, and its record was not looked at/,
    ],
    [
      'a return that is not counted',
      [
        night(),
        night({ ...SECOND, breaks: [aBreak('resolved 2026-10-24 2026-10-24 1 0')] }),
        night({ date: '2026-10-26', breaks: [aBreak('reopened 2026-10-24 2026-10-26 2 0')] }),
      ],
      /was reopened 0 times/,
    ],
    [
      'a resolved break that is simply open again',
      [
        night(),
        night({ ...SECOND, breaks: [aBreak('resolved 2026-10-24 2026-10-24 1 0')] }),
        night({ date: '2026-10-26', breaks: [aBreak('open 2026-10-24 2026-10-26 2 0')] }),
      ],
      /went from resolved to open/,
    ],
    [
      'a record that coverage leaves out',
      [night({ coverage: ['purchase,p1,verified'] })],
      /coverage speaks of other records/,
    ],
    [
      'a green record with a break',
      [night({ records: ['purchase,p1,matched,1', 'purchase,p2,break,0'] })],
      /p1 was verified, and is matched/,
    ],
    [
      'an unverified record that passes',
      [night({ coverage: ['purchase,p1,verified', 'purchase,p2,unreachable'], status: 'incomplete' })],
      /p2 was unreachable, and is matched/,
    ],
    ['a night called incomplete that reached all', [night({ status: 'incomplete' })], /all reached, and incomplete/],
  ];

  it.each(wrong)('objects to %s', (_, nights, objection) => {
    expect(judge(...nights).join('\n')).toMatch(objection);
  });
});

describe('the model, given events', () => {
  const event = (type: string, state: string, over: Partial<PrintedEvent> = {}): PrintedEvent => ({
    type,
    state,
    run_id: 'run-0',
    who: 'tieout',
    reason: null,
    ...over,
  });
  const resolved: Told = { ...SECOND, breaks: [aBreak('resolved 2026-10-24 2026-10-24 1 0')] };

  function hear(nights: readonly PublishedNight[], ...events: PrintedEvent[]): string {
    const model = new Model();
    for (const [n, each] of nights.entries()) model.night(`run-${n}`, each);
    model.events(ID, events);
    return model.violations.join('\n');
  }

  it('accepts the life that the nights have shown', () => {
    const events = [event('opened', 'open'), event('resolved', 'resolved', { run_id: 'run-1' })];
    expect(hear([night(), night(resolved)], ...events)).toBe('');
  });

  it('objects to another end, to another beginning, and to changes without a reason', () => {
    expect(hear([night()], event('opened', 'open'), event('resolved', 'resolved'))).toMatch(
      /is open, and its events end with resolved/,
    );
    expect(hear([night()], event('seen', 'open'))).toMatch(/has seen as event 1/);
    const person = { run_id: null, who: 'kim', reason: ' ' };
    expect(hear([night()], event('opened', 'open'), event('assigned', 'open', person))).toMatch(
      /by kim without a reason/,
    );
  });

  it('objects to a resolution by a run that did not verify the record', () => {
    const events = [event('opened', 'open'), event('resolved', 'resolved', { run_id: 'run-7' })];
    expect(hear([night(), night(resolved)], ...events)).toMatch(/resolved in run-7, which did not verify its record/);
  });
});
