/** The wall clock of this machine, compared with the `Date` headers of the Service's answers. */
import { CLOCKS_DIFFER_MS } from '../domain/plausible-date.ts';
import type { Instant } from '../domain/record.ts';
import type { ClockComparison } from '../ports/service.ts';
import { WrongClockError } from '../ports/service-errors.ts';
import { counted } from '../text/counts.ts';

const MINUTE = 60_000;
/** Beyond this, every date that a run writes would be on another day. */
const REFUSED_MS = 24 * 60 * MINUTE;
/** The newest answers; their median is not affected by single answers from a cache or a server with a wrong clock. */
const KEPT = 31;

/** Holds the wall clock against the `Date` headers of the Service. */
export class ServerTime implements ClockComparison {
  private readonly now: () => Instant;
  private readonly offsets: number[] = [];

  constructor(now: () => Instant) {
    this.now = now;
  }

  /** @param ageSeconds of the `Age` header: a cache keeps the `Date` of the answer that it repeats */
  note(date: string | null, ageSeconds: string | null): void {
    const sent = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(sent)) return;
    const age = ageSeconds !== null && /^\d{1,9}$/.test(ageSeconds) ? Number(ageSeconds) * 1000 : 0;
    this.offsets.push(this.now() - (sent + age));
    if (this.offsets.length > KEPT) this.offsets.shift();
  }

  require(): void {
    const ahead = this.median();
    if (ahead !== null && this.isRefused()) {
      throw new WrongClockError(
        `the clock of this machine is ${inWords(ahead)} the Service’s, so nothing was written`,
        'set the clock (`timedatectl`), then run again',
      );
    }
  }

  /** So far off that a run writes nothing. */
  isRefused(): boolean {
    const ahead = this.median();
    return ahead !== null && Math.abs(ahead) > REFUSED_MS;
  }

  remark(): string | null {
    const ahead = this.median();
    if (ahead === null || Math.abs(ahead) <= CLOCKS_DIFFER_MS) return null;
    return `the clock of this machine is ${inWords(ahead)} the Service’s; set it (\`timedatectl\`)`;
  }

  /** How far this machine's clock is ahead, in milliseconds; null before the first answer of this process. */
  median(): number | null {
    const sorted = this.offsets.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? null;
  }
}

/** `26 hours ahead of`, `7 minutes behind`. */
export function inWords(aheadMs: number): string {
  const size = Math.abs(aheadMs);
  const amount =
    size >= 48 * 60 * MINUTE
      ? `${Math.round(size / (24 * 60 * MINUTE))} days`
      : size >= 2 * 60 * MINUTE
        ? `${Math.round(size / (60 * MINUTE))} hours`
        : counted(Math.round(size / MINUTE), 'minute');
  return `${amount} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
