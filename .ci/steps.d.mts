export interface Step {
  name: string;
  command: string;
  minutes: number;
  processorSeconds?: number;
  report?: 'vitest' | 'checks' | 'mutation';
  file?: string;
  ifScript?: string;
}
export const STEPS: readonly Step[];
