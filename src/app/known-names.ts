/** The names of rules and jobs that exist, by which the settings are checked. */
import type { KnownNames } from '../../config/settings.ts';
import { JOBS } from '../../jobs/index.ts';
import { RULES } from '../rules/index.ts';

export const KNOWN_NAMES: KnownNames = { rules: RULES.map(({ code }) => code), jobs: JOBS.map(({ name }) => name) };
