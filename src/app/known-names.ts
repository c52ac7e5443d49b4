/** The names of rules and jobs that exist, by which the settings are checked. */
import type { KnownNames } from '../../config/settings.ts';
import { JOBS } from '../../jobs/index.ts';
import { RULES } from '../rules/index.ts';

/** Plugins add rules. */
export const KNOWN_NAMES: KnownNames = {
  get rules() {
    return RULES.map(({ code }) => code);
  },
  jobs: JOBS.map(({ name }) => name),
};
