/** The half-sentence that tells of a record which cannot be read now what was last known of it. */
import type { History } from '../../domain/case.ts';
import { showDay } from './time.ts';

/** `it was last verified on 2026-11-02 as RELEASED`, or that it never was. */
export function lastVerified(history: History): string {
  const last = history.lastVerified;
  if (last === null) return 'it was never verified before';
  return `it was last verified on ${showDay(last.at)}${last.status === null ? '' : ` as ${last.status}`}`;
}
