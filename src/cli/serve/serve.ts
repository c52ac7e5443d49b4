/** `tieout serve`: receives webhooks, SDK events and quotes until a signal stops it. */

import { command, type Register } from '../context.ts';
import { untilStopped } from '../session.ts';
import { beginSchedule } from './schedule.ts';

export const register: Register = (program) => {
  command(program, 'serve', {
    details: `Listens on webhooks.host and webhooks.port:
  POST /webhooks/purchases, /webhooks/sales   signed by the Service (webhooks.publicKeys)
  POST /events, /quotes                       with the bearer token webhooks.intakeToken
  GET  /healthz, /readyz, /metrics
  GET  /docs, /openapi.json                   on a loopback address, or as webhooks.docs says
  GET  /breaks and the other pages            with --pages or pages.enabled, after a sign-in
A webhook is answered after it is on disk. On SIGTERM it answers the accepted requests, and ends. With --schedule
the jobs of the setting schedule run in the same process, as \`tieout schedule\` runs them.`,
    examples: [
      'tieout serve',
      'tieout serve --pages',
      'tieout serve --schedule',
      'tieout serve --config tieout.yaml --log-level warn',
    ],
  })
    .option('--schedule', 'also run the jobs of the schedule')
    .option('--pages', 'also serve the pages for work on breaks')
    .runsOnApp(async (app, session, flags) => {
      const { startServing } = await import('../../app/serve.ts');
      const serving = await startServing(app, app.log, { pages: flags.pages === true });
      session.releasers.push('webhook server', () => serving.close());
      const { url, pages, notes } = serving;
      const words = [
        `Listening on ${url}`,
        ...(pages === null ? [] : [`Pages on ${pages}; \`tieout access link --as NAME\` makes a link to sign in`]),
        ...notes.map((note) => `Note: ${note}.`),
      ];
      await session.out.result({ url, pages, notes }, words.join('\n'));
      if (flags.schedule) await beginSchedule(session, app);
      await untilStopped(session.signal);
    });
};
