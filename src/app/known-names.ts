/** The names of rules, jobs and sources of plugins that exist, by which the settings are checked. */
import type { KnownNames } from '../../config/settings.ts';
import { JOBS } from '../../jobs/index.ts';
import { pluginSourceNames } from '../intake/plugin-source.ts';
import { RULES } from '../rules/index.ts';

/** Plugins add rules and sources. */
export const KNOWN_NAMES: KnownNames = {
  get rules() {
    return RULES.map(({ code }) => code);
  },
  jobs: JOBS.map(({ name }) => name),
  get pluginSources() {
    return pluginSourceNames();
  },
};
