/** What a failed delivery says. */
import { writeFileSync } from 'node:fs';
import { createServer as createBucket } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, it, vi } from 'vitest';
import { deliverSet } from '../../src/app/deliver.ts';
import type { Wiring } from '../../src/app/wiring.ts';
import { publishSet } from '../publish/support/a-set.ts';
import { tempFolders } from '../publish/support/temp-folder.ts';
import { selfSigned } from '../service/self-signed.ts';

const tempFolder = tempFolders();
const trusted = getCACertificates();
afterAll(() => setDefaultCACertificates(trusted));

it.each([
  ['correct horse battery\n', 'correct horse battery'],
  ['  blanks of the password  \r\n', '  blanks of the password  '],
])('has no password in it, where the server repeats the sign-in that it refuses: %j', async (content, password) => {
  const signIns: string[] = [];
  const { key, cert } = selfSigned();
  setDefaultCACertificates([...trusted, cert]);
  const server = createServer({ key, cert }, (socket) => {
    socket.write('220 mail.example\r\n');
    socket.on('data', (chunk) => {
      const line = chunk.toString().trim();
      if (line.startsWith('AUTH')) signIns.push(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString());
      socket.write(line.startsWith('AUTH') ? `535 no: ${line}\r\n` : '250-mail.example\r\n250 AUTH PLAIN\r\n');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  const out = tempFolder();
  const passwordFile = join(tempFolder(), 'password');
  writeFileSync(passwordFile, content);
  const url = `smtps://tieout@localhost:${(server.address() as AddressInfo).port}`;
  const mail = { type: 'email', name: 'mail', url, from: 'a@example.com', to: ['b@example.com'], link: null };
  const logged: string[] = [];
  const log = { info: () => undefined, error: (text: string) => logged.push(text) };
  const settings = { out, deliver: [{ ...mail, attach: [], passwordFile }] };
  const sent = await deliverSet({ settings, log } as unknown as Wiring, await publishSet({ out }));
  server.close();
  expect(signIns).toEqual([`\0tieout\0${password}`]);
  expect(sent).toMatchObject([
    {
      sent: 0,
      problem: expect.stringMatching(/^Invalid login: 535 no: AUTH PLAIN AHRpZW91dA\S{0,4}\[secret\]\S{0,4}$/),
    },
  ]);
  expect(logged.join()).toContain('[secret]');
});

it('signs with the secret of an access key alone, whatever blanks and line ends are around it', async () => {
  const signatures = new Set<string>();
  const server = createBucket((request, response) => {
    signatures.add(request.headers.authorization ?? '');
    response.writeHead(403).end();
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/reports`;
  const [out, secretFile] = [tempFolder(), join(tempFolder(), 'secret')];
  const s3 = { type: 's3', name: 's3', url, region: 'us-east-1', accessKeyId: 'A', secretFile };
  const log = { info: () => undefined, error: () => undefined };
  const set = await publishSet({ out });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (const content of ['SECRET', 'SECRET \r\n', '\tSECRET\n\n']) {
      writeFileSync(secretFile, content);
      await deliverSet({ settings: { out, deliver: [s3] }, log } as unknown as Wiring, set);
    }
  } finally {
    vi.useRealTimers();
    server.close();
  }
  expect([...signatures]).toEqual([expect.stringContaining('Signature=')]);
});
