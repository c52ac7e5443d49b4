import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
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

it('takes so many connections at once, and a further one when one of them has ended', async () => {
  const app = Fastify();
  app.get('/', () => 'ok');
  const close = closeAfterAnswers(app, 100);
  const url = new URL(await listenOn(app, { host: '127.0.0.1', port: 0, setting: 'webhooks', mostConnections: 2 }));
  const asked = async () => {
    const client = connect(Number(url.port), url.hostname).on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const isAnswered = await Promise.race([once(client, 'data'), once(client, 'close')]);
    return { client, isAnswered: Buffer.isBuffer(isAnswered[0]) };
  };
  const [first, second, third] = [await asked(), await asked(), await asked()];
  expect([first, second, third].map(({ isAnswered }) => isAnswered)).toEqual([true, true, false]);
  first.client.destroy();
  await expect.poll(async () => (await asked()).isAnswered).toBe(true);
  await close();
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024);
}
