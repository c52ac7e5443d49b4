import type { Job } from '../src/ports/job.ts';

/**
 * Every few minutes: fetches each record that had a webhook or an event since its last fetch, so that its news is checked
 * before the night. It settles like every run and publishes nothing: the newest report set stays that of the night.
 */
export const recheck: Job = {
  name: 'recheck',
  summary: 'fetches records with new webhooks; publishes no reports',
  run: async ({ resumes, deliveriesWaiting, reconcile }) => {
    if (!resumes && (await deliveriesWaiting()) === 0) {
      return { outcome: 'nothing-due', why: 'nothing was delivered since the records were last looked at' };
    }
    return reconcile({ type: 'delivered' }, { publish: false });
  },
};
