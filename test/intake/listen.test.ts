import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { it } from 'vitest';
import { closeAfterAnswers, listenOn } from '../../src/intake/server/listen.ts';

it('does not wait for ever for a client that asked and does not read', async () => {
  const app = Fastify();
  const answered = Promise.withResolvers<void>();
  app.addHook('onSend', async () => answered.resolve());
  app.get('/', () => Readable.from(endless()));
  const close = closeAfterAnswers(app, 100);
  const url = new URL(await listenOn(app, { host: '127.0.0.1', port: 0, setting: 'webhooks' }));
  const client = connect(Number(url.port), url.hostname).on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(client, 'ready');
  await answered.promise;
  await close();
  client.destroy();
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024);
}
