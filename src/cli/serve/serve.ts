/** `tieout serve`: receives webhooks, SDK events and quotes until a signal stops it. */

import { command, type Register } from '../context.ts';
import { untilStopped } from '../session.ts';

export const register: Register = (program, context) => {
  command(program, 'serve', {
    details: `Listens on webhooks.host and webhooks.port:
  POST /webhooks/purchases, /webhooks/sales   signed by the Service (webhooks.publicKeys)
  POST /events, /quotes                       with the bearer token webhooks.intakeToken
  GET  /healthz, /readyz, /metrics
  GET  /docs, /openapi.json                   on a loopback address, or as webhooks.docs says
  GET  /breaks and the other pages            with --pages, or pages.enabled; for people who signed in
A webhook is answered once it is on disk. SIGTERM answers what was accepted, and ends. With --schedule the jobs of
settings.schedule run in the same process, as \`tieout schedule\` would run them.`,
    examples: [
      'tieout serve',
      'tieout serve --pages',
      'tieout serve --schedule',
      'tieout serve --config tieout.yaml --log-level warn',
    ],
  })
    .option('--schedule', 'run every job at its time, too')
    .option('--pages', 'serve the pages on which people work the breaks, too')
    .action((flags: { schedule?: boolean; pages?: boolean }, self) =>
      context.run(self, async (session) => {
        const [{ startServing }, app] = await Promise.all([import('../../app/serve.ts'), session.app()]);
        const serving = await startServing(app, app.log, { pages: flags.pages === true });
        session.releasers.push('webhook server', () => serving.close());
        if (session.out.json) await session.out.value({ url: serving.url, pages: serving.pages, notes: serving.notes });
        else {
          await session.out.line(`Listening on ${serving.url}`);
          if (serving.pages !== null)
            await session.out.line(
              `Pages on ${serving.pages}; \`tieout access link --as NAME\` makes a link to sign in`,
            );
          for (const note of serving.notes) await session.out.line(`Note: ${note}.`);
        }
        if (flags.schedule) {
          const { startSchedule } = await import('../../app/schedule.ts');
          const scheduler = startSchedule(app, { signal: session.signal, scrub: (text) => session.scrub(text) });
          session.releasers.push('schedule', () => scheduler.stop());
        }
        await untilStopped(session.signal);
      }),
    );
};
