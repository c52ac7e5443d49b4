/** `tieout worker`: fetches batches of the runs under way, from this address, until a signal stops it. */
import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { command, type Register } from '../context.ts';

function address(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address of this machine, as 10.0.0.7.');
  return text;
}

export const register: Register = (program) => {
  command(program, 'worker', {
    details: `With workers.enabled, \`tieout run\` and \`tieout audit\` cut their records into batches, and workers fetch them, each
within the limits of the address that it sends from. Workers behind one address need the same egress name and share its
allowance; workers behind different addresses need different names. Ends with 4 if the Service refuses this address; the
other workers continue. With workers.metrics.port it answers /healthz, /readyz and /metrics on that port.`,
    examples: ['tieout worker --egress office', 'tieout worker --egress b --local-address 10.0.0.12'],
  })
    .option(
      '--egress <name>',
      'name of the address that the Service sees (service.egress; default: one name for the database)',
    )
    .option('--local-address <ip>', 'address to send from (service.localAddress)', address)
    .option(
      '--metrics-port <port>',
      'port for its own health and metrics (workers.metrics.port); several on one machine need their own',
    )
    .runs(async (session, flags) => {
      const given = [
        ...setting('--egress', ['service', 'egress'], flags.egress),
        ...setting('--local-address', ['service', 'localAddress'], flags.localAddress),
        ...setting('--metrics-port', ['workers', 'metrics', 'port'], flags.metricsPort),
      ];
      const app = await session.app({ flags: given });
      const { startWorking } = await import('../../app/worker.ts');
      const { egressOf } = await import('../../app/wiring.ts');
      app.log.info({ egress: egressOf(app.settings) }, 'waiting for batches');
      await startWorking(app, session.signal);
    });
};

function setting(flag: string, path: readonly string[], value: string | undefined) {
  return value === undefined ? [] : [{ flag, path, value }];
}
