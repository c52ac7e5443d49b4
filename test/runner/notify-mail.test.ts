import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { smtpSend } from '../../src/runner/notify-mail.ts';
import { listenLocally } from '../support/listen-locally.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A mail server that accepts everything and offers no extension; returns its port and the received commands. */
async function aMailServer(refused = '') {
  const heard: string[] = [];
  const server = createServer((socket: Socket) => {
    let data = false;
    let rest = '';
    socket.write('220 mail.example\r\n');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        heard.push(line);
        if (data && line !== '.') continue;
        if (refused !== '' && line.startsWith(refused)) socket.write('550 no such user hunter2\r\n');
        else if (line === 'DATA') socket.write('354 go on\r\n');
        else if (line === 'STARTTLS') socket.write('502 not here\r\n');
        else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 mail.example\r\n');
        data = line === 'DATA';
        if (line === 'QUIT') socket.end();
      }
    });
  });
  servers.push(server);
  return { port: await listenLocally(server), heard };
}

const MESSAGE = { title: 'Tieout: nightly for 2026-11-20 is complete', lines: ['2,000 records', '.', 'Grüße'] };

it('a message goes out as a mail of plain text', async () => {
  const { port, heard } = await aMailServer();
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com', 'b@example.com'] };
  await smtpSend(mail, null, MESSAGE);
  expect(heard).toContain('MAIL FROM:<tieout@example.com>');
  expect(heard.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<a@example.com>',
    'RCPT TO:<b@example.com>',
  ]);
  expect(heard).toContain('Subject: Tieout: nightly for 2026-11-20 is complete');
  expect(heard).toContain('2,000 records');
});

it('a password is never sent in clear text', async () => {
  const { port, heard } = await aMailServer();
  const mail = { url: `smtp://tieout@127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com'] };
  await expect(smtpSend(mail, 'hunter2', MESSAGE)).rejects.toThrow(/^[A-Z]+( \d+)?$/);
  expect(heard.filter((line) => /AUTH|MAIL FROM/.test(line))).toEqual([]);
  expect(heard.join()).not.toContain(Buffer.from('hunter2').toString('base64').slice(0, 8));
});

it('a server that is not there is reported by a code', async () => {
  const { port } = await aMailServer();
  servers.splice(0).map((server) => server.close());
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com'] };
  await expect(smtpSend(mail, null, MESSAGE)).rejects.toMatchObject({
    message: 'ESOCKET',
    cause: { message: expect.stringContaining('ECONNREFUSED') },
  });
});

it('a user without a password is not asked to sign in', async () => {
  const { port, heard } = await aMailServer();
  const mail = { url: `smtp://tieout@127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com'] };
  await smtpSend(mail, null, MESSAGE);
  expect(heard).toContain('2,000 records');
});

it('smtps is encrypted from its first byte on', async () => {
  const { port, heard } = await aMailServer();
  const mail = { url: `smtps://127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com'] };
  await expect(smtpSend(mail, null, MESSAGE)).rejects.toThrow('ESOCKET');
  expect(heard.join()).not.toContain('EHLO');
});

it('a refusal is reported by its codes, not in the words of the server', async () => {
  const { port } = await aMailServer('RCPT');
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com'] };
  await expect(smtpSend(mail, null, MESSAGE)).rejects.toMatchObject({ message: 'EENVELOPE 550' });
});

it('a refusal of one address of several is reported', async () => {
  const { port, heard } = await aMailServer('RCPT TO:<b@');
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'tieout@example.com', to: ['a@example.com', 'b@example.com'] };
  await expect(smtpSend(mail, null, MESSAGE)).rejects.toMatchObject({
    message: 'EENVELOPE',
    cause: { message: 'refused for b@example.com; the others have it' },
  });
  expect(heard).toContain('2,000 records');
});
