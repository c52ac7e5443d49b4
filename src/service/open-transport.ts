/** The transport of a client. Its libraries load with the first client that a process opens: most commands send nothing. */
import type { Transport, TransportOptions } from './transport.ts';

/** Loading begins here and not with the first request, whose slot is booked by then and frees within seconds. */
export function openTransport(options: TransportOptions): Transport {
  const opened = import('./transport.ts').then(({ createTransport }) => createTransport(options));
  // Handled where it is awaited; a client that sends nothing never awaits it.
  opened.catch(() => undefined);
  return {
    send: async (request) => (await opened).send(request),
    close: async () => (await opened).close(),
  };
}
