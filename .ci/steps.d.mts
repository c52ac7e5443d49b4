export interface Step {
  name: string;
  command: string;
  minutes: number;
  ifTime?: true;
  beside?: true;
  yardsticks?: number;
  report?: 'vitest' | 'checks' | 'mutation';
  file?: string;
  ifScript?: string;
}
export const MINUTES: number;
export const STEPS: readonly Step[];
