import type { Job } from '../src/ports/job.ts';

/**
 * Every few minutes: what a webhook or an event spoke of is asked for once, so that a night does not pass before its
 * news are checked. It settles like every run and publishes nothing: the newest report set stays the night's.
 */
export const recheck: Job = {
  name: 'recheck',
  summary: 'fetches records that webhooks spoke of since they were last looked at; publishes nothing',
  run: async (context) => {
    if (!context.resumes && (await context.deliveriesWaiting()) === 0) {
      return { outcome: 'nothing-due', why: 'nothing was delivered since the records were last looked at' };
    }
    return context.reconcile({ type: 'delivered' }, { publish: false });
  },
};
