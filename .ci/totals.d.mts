export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
export function countsOf(kind: string | undefined, report: unknown, succeeded: boolean): Counts;
export function sumOf(all: readonly Counts[]): Counts;
export function lineOf(counts: Counts): string;
export function childSeconds(stat: string): number;
