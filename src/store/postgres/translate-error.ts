/** Translates errors of the driver, the network and the server into the store's error classes. */
import pg from 'pg';
import { codeOf } from '../../domain/errors.ts';
import { DatabaseUnavailableError, type UnavailableReason } from '../../ports/store/errors.ts';

/** By the beginning of an SQLSTATE, or by a code of the operating system; the first match counts. */
const REASONS: readonly (readonly [string, UnavailableReason])[] = [
  ['28', 'login-refused'],
  ['3D000', 'no-such-database'],
  ['3F000', 'no-such-database'],
  ['42501', 'not-allowed'],
  ['25006', 'standby'],
  ['53100', 'full'],
  ['53300', 'no-connection-left'],
  ['55P03', 'busy'],
  ['40P01', 'busy'],
  ['57014', 'took-too-long'],
  ['25P03', 'took-too-long'],
  ['57P', 'connection-lost'],
  ['08', 'connection-lost'],
  ['58030', 'io'],
  ['XX001', 'damaged-pages'],
  ['XX002', 'damaged-pages'],
  ['ECONNREFUSED', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['EAI_AGAIN', 'unreachable'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ETIMEDOUT', 'unreachable'],
  ['ENOENT', 'unreachable'],
  ['EACCES', 'unreachable'],
  ['ECONNRESET', 'connection-lost'],
  ['EPIPE', 'connection-lost'],
];

/** Errors of the driver have no code; they are recognised by their messages. */
const SAYINGS: readonly (readonly [RegExp, UnavailableReason])[] = [
  [/^(timeout expired|timeout exceeded when trying to connect)/i, 'unreachable'],
  [/^Connection terminated due to connection timeout/i, 'unreachable'],
  [/^Query read timeout/i, 'silent'],
  [/^(Connection terminated|Client has encountered a connection error|read ECONN|write EPIPE)/i, 'connection-lost'],
  [/(does not support SSL|certificate|self-signed|SSL|TLS)/i, 'tls'],
  [/(SASL|password must be a string)/i, 'login-refused'],
];

function reasonOf(error: unknown): UnavailableReason | undefined {
  const code = codeOf(error) ?? '';
  // PgBouncer refuses a login with the SQLSTATE of a protocol violation.
  if (code === '08P01' && error instanceof Error && /authentication failed/i.test(error.message))
    return 'login-refused';
  const byCode = code === '' ? undefined : REASONS.find(([start]) => code.startsWith(start))?.[1];
  if (byCode !== undefined || error instanceof pg.DatabaseError || !(error instanceof Error)) return byCode;
  return SAYINGS.find(([saying]) => saying.test(error.message))?.[1];
}

/**
 * Errors of the program (a violated constraint, a wrong statement) are returned as they are, but without the values
 * that the server quotes in `detail`: they could be those of a token's row.
 */
export function translateError(error: unknown, location: string): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
    error.internalQuery = undefined;
  }
  const reason = reasonOf(error);
  return reason === undefined ? error : new DatabaseUnavailableError(location, reason, error);
}
