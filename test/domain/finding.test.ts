import { expect, test } from 'vitest';
import { type Severity, severityRank } from '../../src/domain/finding.ts';

test('severities rank from info up to critical', () => {
  const mixed: Severity[] = ['high', 'info', 'critical', 'low', 'medium'];
  expect(mixed.sort((a, b) => severityRank(a) - severityRank(b))).toEqual([
    'info',
    'low',
    'medium',
    'high',
    'critical',
  ]);
});
