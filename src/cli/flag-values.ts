/** Readers of flag values that are not settings. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError, which the command line reports as a usage error. */
export function positiveNumber(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}
