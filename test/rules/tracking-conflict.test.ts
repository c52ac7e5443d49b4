import { expect, test } from 'vitest';
import { trackingConflict } from '../../src/rules/tracking-conflict.ts';
import { aCase, anUnreachable, aQuarantined } from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const tracked = { conflict: 'came in with 2 different view tokens' };

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
        "The application's data for sqs6a428mqjtzbv conflict, and the first that came in is used: " +
        'it came in with 2 different view tokens.',
    },
  ]);
});

test('an id that came in one way only is fine with any answer of the Service', () => {
  expect(ask(trackingConflict, aCase())).toEqual(NOTHING);
  expect(ask(trackingConflict, aCase({ observation: anUnreachable() }))).toEqual(NOTHING);
});
