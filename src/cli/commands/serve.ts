/** `tieout serve`: takes webhooks, SDK events and quotes until somebody stops it. */
import { command, type Register } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export const register: Register = (program, context) => {
  command(program, 'serve', {
    summary: 'Receive webhooks, SDK events and quotes over HTTP; health and metrics beside them',
    details: `Listens on webhooks.host and webhooks.port:
  POST /webhooks/purchases, /webhooks/sales   signed by the Service (webhooks.publicKeys)
  POST /events, /quotes                       with the bearer token webhooks.intakeToken
  GET  /healthz, /readyz, /metrics
A webhook is answered once it is on disk. SIGTERM answers what was accepted, and ends.`,
    examples: ['tieout serve', 'tieout serve --config tieout.yaml --log-level warn'],
  }).action((_flags: object, self) =>
    context.run(self, async (session) => {
      const [{ startServing }, app] = await Promise.all([import('../../serve-app.ts'), session.app()]);
      const serving = await startServing(app, app.log);
      session.releasers.push('webhook server', () => serving.close());
      if (session.out.json) await session.out.value({ url: serving.url, notes: serving.notes });
      else {
        await session.out.line(`Listening on ${serving.url}`);
        for (const note of serving.notes) await session.out.line(`Note: ${note}.`);
      }
      await stopped(session.signal);
      return EXIT.clean;
    }),
  );
};

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
