import { expect, it } from 'vitest';
import { CircuitOpenError } from '../../../src/ports/service-errors.ts';
import { BookingTooSlowError, EgressSharedError } from '../../../src/service/pacing/errors.ts';

it.each([
  {
    make: () => new CircuitOpenError(Date.parse('2026-11-20T04:30:00Z'), 'the Service answered 429 (rate limit)'),
    name: 'CircuitOpenError',
    says: ['before 2026-11-20 04:30 UTC', '429', 'try again after that time', 'lower service.rateLimits'],
  },
  {
    make: () => new BookingTooSlowError(2_600.4, 2_500),
    name: 'BookingTooSlowError',
    says: ['took 2600 ms', 'after 2500 ms', 'local disk', 'raise service.guard'],
  },
  {
    make: () => new EgressSharedError('head-office'),
    name: 'EgressSharedError',
    says: ['"head-office"', 'its own egress name', 'a share of service.rateLimits'],
  },
])('a $name gives the figures and the remedy', ({ make, name, says }) => {
  const error = make();
  expect(error.name).toBe(name);
  for (const part of says) expect(error.message).toContain(part);
});
