/**
 * Logs to standard error: JSON lines for machines, short lines for a person at a terminal. Secrets are removed by
 * field name and by text.
 */
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../../config/settings.ts';
import { visibleJson } from '../text/visible.ts';
import { printable } from './table.ts';

export type { Logger } from 'pino';

interface LoggerOptions {
  level: LogLevel;
  /** Short lines instead of JSON. */
  human: boolean;
  /** Takes whole lines. */
  write: (line: string) => void;
  scrub: (text: string) => string;
}

/** Names under which a secret might be logged, at any of the depths that log objects have. */
const SECRET_KEYS = [
  'token',
  'view_token',
  'viewToken',
  'purchaseViewToken',
  'saleViewToken',
  'secret',
  'secretKey',
  'hostApiKey',
  'password',
  'authorization',
  'intakeToken',
];
const REDACTED = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

export function createLogger(options: LoggerOptions): Logger {
  const { level, human, write, scrub } = options;
  return pino(
    {
      level,
      base: { name: 'tieout' },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[secret]' },
      serializers: { err: causes, error: causes },
    },
    // Synchronous: a line that waits in a buffer is lost when the process ends.
    { write: (line: string) => write(scrub(human ? humanLine(line) : visibleJson(line))) },
  );
}

/**
 * Name and message of an error and of its causes. Never its other properties: those of HTTP and database errors hold
 * whole requests.
 */
function causes(error: unknown): unknown {
  const chain: string[] = [];
  for (let each = error; each instanceof Error && chain.length < 10; each = each.cause)
    chain.push(`${each.name}: ${each.message}`);
  return chain.length > 0 ? chain.join(' ← ') : String(error);
}

/** `10:02:11 warn  no quote for this record  kind=sale id=…`. */
function humanLine(line: string): string {
  const { level, time, name: _, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const clock = String(time).slice(11, 19);
  return `${printable([clock, String(level).padEnd(5), String(msg ?? ''), details.join(' ')].join(' ').trimEnd())}\n`;
}
