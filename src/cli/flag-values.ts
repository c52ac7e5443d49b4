/** Readers of flag values that are not settings. */
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/duration.ts';

/** @throws InvalidArgumentError, which the command line reports as a usage error. */
export function positiveNumber(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}

/** Milliseconds. @throws InvalidArgumentError, which the command line reports as a usage error. */
export function positiveDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It must be a duration, as 90s, 30m or 6h.');
  return ms;
}
