import { expect, test } from 'vitest';
import { trackingConflict } from '../../src/rules/tracking-conflict.ts';
import { aCase, anUnreachable, aQuarantined } from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const tracked = { conflict: 'the second import of 2026-11-02 has another view token.' };

test.each([
  ['verified', aCase({ tracked })],
  ['quarantined', aCase({ tracked, observation: aQuarantined() })],
  ['unreachable', aCase({ tracked, observation: anUnreachable() })],
  ['deferred', aCase({ tracked, observation: { outcome: 'deferred', reason: 'allowance' } })],
])('a conflict is reported for a %s record', (_, subject) => {
  expect(ask(trackingConflict, subject)).toEqual([
    {
      field: 'tracking',
      expected: null,
      actual: null,
      explanation:
        'The application sent sqs6a428mqjtzbv more than once, and not the same way (the first one is used): ' +
        'the second import of 2026-11-02 has another view token.',
    },
  ]);
});

test('an id that came in one way only is fine with any answer of the Service', () => {
  expect(ask(trackingConflict, aCase())).toEqual(NOTHING);
  expect(ask(trackingConflict, aCase({ observation: anUnreachable() }))).toEqual(NOTHING);
});
