/** Durations as people write them: a whole number and one unit. Inside, always milliseconds. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds of `250ms`, `5s`, `15m`, `120h` or `400d`; undefined for anything else. `1m` is a minute, never a month. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  const unit = UNITS[match?.[2] ?? ''];
  return match?.[1] === undefined || unit === undefined ? undefined : Number.parseInt(match[1], 10) * unit;
}

/** The shortest exact way to write it: 90000 is `90s`, 3600000 is `1h`. */
export function showDuration(ms: number): string {
  if (ms === 0) return '0s';
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = UNITS[unit] ?? 1;
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
