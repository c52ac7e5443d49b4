/** Instants as ISO 8601 UTC. A report has several in each row, mostly of few days, and `toISOString` is slow by comparison. */
import type { Instant } from '../domain/record.ts';

const DAY = 86_400_000;

const two = (n: number) => String(n).padStart(2, '0');
const THOUSAND = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
/** `10:02:` for each minute of a day. */
const MINUTES = Array.from({ length: 1440 }, (_, n) => `${two(Math.floor(n / 60))}:${two(n % 60)}:`);
const SECONDS = Array.from({ length: 60 }, (_, n) => `${two(n)}.`);

/** A printer that remembers the last day it saw. */
export function createInstantPrinter(): (instant: Instant) => string {
  let knownDay = Number.NaN;
  let date = '';
  return (instant) => {
    const day = Math.floor(instant / DAY);
    if (day !== knownDay) {
      // Throws for what is no instant at all, before anything is remembered.
      date = new Date(day * DAY).toISOString().slice(0, -'00:00:00.000Z'.length);
      knownDay = day;
    }
    const ms = Math.trunc(instant - day * DAY);
    const second = Math.trunc(ms / 1000);
    return `${date}${MINUTES[Math.trunc(second / 60)]}${SECONDS[second % 60]}${THOUSAND[ms % 1000]}Z`;
  };
}
