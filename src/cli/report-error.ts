/** How an error is told: one line with its remedy; the chain of causes on request; never a secret. */
import { CommanderError } from 'commander';
import { TieoutError } from '../domain/errors.ts';
import { printable } from './output.ts';

const MAX_CAUSES = 10;

export interface ErrorReport {
  verbose: boolean;
  scrub: (text: string) => string;
}

/** The text for standard error, with its newline. */
export function reportError(error: unknown, { verbose, scrub }: ErrorReport): string {
  return `${printable(scrub(linesOf(error, verbose).join('\n')))}\n`;
}

function linesOf(error: unknown, verbose: boolean): string[] {
  if (error instanceof CommanderError) {
    return [`tieout: ${error.message.replace(/^error: /, '')}`, 'Run the command with --help to see how it is called.'];
  }
  if (!(error instanceof Error)) return [`tieout: unexpected error: ${String(error)}`, hint(verbose)];
  const known = error instanceof TieoutError;
  const first = known ? `tieout: ${error.message}` : `tieout: unexpected error: ${error.name}: ${error.message}`;
  const lines = [first];
  if (verbose) lines.push(...causesOf(error));
  // Where it happened helps only those who can change it, and only where nobody foresaw it.
  if (verbose && !known && error.stack !== undefined) lines.push(...framesOf(error.stack));
  if (!known) lines.push(hint(verbose));
  return lines;
}

function causesOf(error: Error): string[] {
  const lines: string[] = [];
  let cause = error.cause;
  while (cause !== undefined && cause !== null && lines.length < MAX_CAUSES) {
    lines.push(`  because: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}

function framesOf(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 10);
}

function hint(verbose: boolean): string {
  return verbose
    ? 'This is a defect in Tieout; please report it with the lines above.'
    : 'Run again with -v to see the cause.';
}
