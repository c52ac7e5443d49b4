import { expect, test } from 'vitest';
import { evidenceOf, type Observation } from '../../src/domain/case.ts';
import { anUnreachable, aPurchase, aQuarantined, aSnapshot, SHA256 } from '../support/builders.ts';

const OTHER = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

test.each<[string, Observation, string | null]>([
  ['a verified record rests on its snapshot', { outcome: 'verified', snapshot: aSnapshot(aPurchase()) }, SHA256],
  ['a quarantined one on the body that was refused', aQuarantined({ sha256: OTHER }), OTHER],
  ['a redirect brought no body', aQuarantined({ reason: 'REDIRECTED', httpStatus: 302, sha256: null }), null],
  ['nothing came from a record that was not reached', anUnreachable(), null],
  ['nor from one that was put off', { outcome: 'deferred', reason: 'allowance' }, null],
])('evidence: %s', (_, observation, sha256) => {
  expect(evidenceOf(observation)).toBe(sha256);
});
