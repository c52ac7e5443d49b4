/** Attacks on the pages; none of them may succeed. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { html } from '../../src/pages/html.ts';
import { hashOf } from '../../src/pages/people.ts';
import { localPath, safeName } from '../../src/pages/request.ts';
import { nightWith } from '../store/support/break-nights.ts';
import { track } from '../store/support/scenario.ts';
import { aBreak, aBreakEvent } from '../support/a-break.ts';
import { aSite, browserOf, claimOn, NOW, openLink, type Site } from './support/site.ts';

const A = aBreak({ recordId: 'a' }).breakId;
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\u202e`;

let site: Site;
const open = async (over: Parameters<typeof aSite>[0] = {}) => {
  site = await aSite(over);
  await track(site.store, 'a');
};
beforeEach(() => open());
afterEach(() => site[Symbol.asyncDispose]());

describe('text from outside', () => {
  it('is text, on every page that shows it', async () => {
    await nightWith(
      site.store,
      aBreakEvent(
        {
          recordId: 'a',
          explanation: HOSTILE,
          expected: HOSTILE,
          actual: HOSTILE,
          recordCurrency: HOSTILE,
          currency: HOSTILE,
          assignee: HOSTILE,
        },
        { who: HOSTILE, reason: HOSTILE },
      ),
    );
    const eve = await site.browser(HOSTILE.slice(0, 60), 'analyst', 'administrator');
    await eve.post('/views', {
      name: HOSTILE.slice(0, 80),
      query: `text=${encodeURIComponent(HOSTILE)}`,
      shared: 'yes',
    });
    await claimOn(eve, `break=${A}`, { title: HOSTILE, reason: HOSTILE });
    const [claim] = await site.store.claims.list({ limit: 1 });
    expect(claim?.title).toBe(HOSTILE);
    for (const url of [
      '/breaks',
      `/breaks?text=${encodeURIComponent(HOSTILE)}`,
      `/breaks/${A}`,
      '/claims',
      `/claims/${claim?.claimId}`,
      '/access',
      '/groups',
      '/bulk',
      `/claims/new?break=${A}`,
    ]) {
      const { body, statusCode } = await eve.get(url);
      expect([url, statusCode]).toEqual([url, 200]);
      expect(body).not.toMatch(/<script>alert|<img src=x|\u202e/);
    }
  });

  it('cannot be marked as HTML', () => {
    expect(String(html`<p>${'<b>'}${['<i>']}</p>`)).toBe('<p>&lt;b&gt;&lt;i&gt;</p>');
  });
});

describe('the policy of content', () => {
  it('allows no inline code and no other host', async () => {
    const policy = String((await (await site.browser()).get('/sign-in')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});

it('a form of a stranger in a piece for each byte is cut off, and not kept', async () => {
  const { port } = new URL(await site.app.listen({ host: '127.0.0.1', port: 0 }));
  const type = 'Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked';
  const begun = `POST /sign-in/link/x HTTP/1.1\r\nHost: a.example\r\n${type}\r\n\r\n${'1\r\na\r\n'.repeat(5_000)}`;
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(begun));
  socket.on('error', () => undefined).resume();
  // It waits a minute for the rest, unless the pieces were too many.
  await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true);
});

describe('a form with files', () => {
  it('of a stranger is not read: thirty of them held 1.3 GB', async () => {
    const field = 'content-disposition: form-data; name="a"\r\n\r\n';
    const form = (text: string) =>
      site.app.inject({
        method: 'POST',
        url: '/sign-in/link/x',
        headers: { 'content-type': 'multipart/form-data; boundary=B' },
        payload: `--B\r\n${field}${text}\r\n--B--\r\n`,
      });
    for (const text of ['x', 'x'.repeat(2 ** 20)]) {
      const { statusCode, body } = await form(text);
      expect([statusCode, body]).toEqual([400, expect.stringContaining('This form takes no files.')]);
    }
  });
});

describe('a session', () => {
  it('that was planted before the sign-in is not the one after it', async () => {
    const planted = await site.browser();
    await planted.get('/sign-in/link/x');
    const { cookie } = planted;
    const ann = await site.browser('Ann', 'analyst');
    expect(ann.cookie).not.toBe(cookie);
    expect((await browserOf(site.app, cookie).get('/breaks')).statusCode).toBe(303);
  });

  it('is not replaced by the refusal of a form that another site sent without its cookie', async () => {
    for (const url of ['/sign-out', `/breaks/${A}/decide`, '/sign-in/link/x']) {
      const { statusCode, headers } = await site.app.inject({ method: 'POST', url });
      expect([url, statusCode, headers['set-cookie']]).toEqual([
        url,
        url.startsWith('/sign-in') ? 403 : 401,
        undefined,
      ]);
    }
  });

  it('cannot be made up, and ends when it is revoked', async () => {
    expect((await browserOf(site.app, 'tieout=AAAA;BBBB').get('/breaks')).statusCode).toBe(303);
    const ann = await site.browser('Ann', 'analyst');
    await site.store.access.revoke('Ann', site.edges.now());
    expect((await ann.get('/breaks')).statusCode).toBe(303);
  });

  it('that is replaced by another sign-in has ended, for a copy of its cookie too', async () => {
    const ann = await site.browser('Ann', 'reviewer');
    const { cookie } = ann;
    const facts = {
      name: 'Ann',
      roles: ['viewer'],
      madeBy: 'os:x',
      madeAt: 0,
      endsAt: Number.MAX_SAFE_INTEGER,
    } as const;
    await site.store.access.addLink({ ...facts, secretHash: hashOf('again') });
    expect((await openLink(ann, 'again')).statusCode).toBe(303);
    expect((await browserOf(site.app, cookie).get('/breaks')).statusCode).toBe(303);
    expect((await ann.get('/breaks')).statusCode).toBe(200);
  });

  it('that was revoked does not come back with a clock that is set back', async () => {
    await site[Symbol.asyncDispose]();
    let now = NOW;
    site = await aSite({}, () => now);
    const ann = await site.browser('Ann', 'analyst');
    const endsAt = NOW + 3_600_000;
    await site.store.access.addLink({
      secretHash: hashOf('x'),
      name: 'Ann',
      roles: ['viewer'],
      madeBy: 'os:x',
      madeAt: now,
      endsAt,
    });
    // Ahead by two hours, as the administrator revokes what seems to be over.
    now += 7_200_000;
    expect(await site.store.access.revoke('Ann', now)).toBe(0);
    now = NOW;
    expect((await ann.get('/breaks')).statusCode).toBe(303);
    expect((await openLink(ann, 'x')).statusCode).toBe(403);
  });

  it('of one person does not take the form of another', async () => {
    await nightWith(site.store, aBreakEvent({ recordId: 'a' }));
    const [ann, eve] = [await site.browser('Ann', 'analyst'), await site.browser('Eve', 'analyst')];
    const token = /name="_csrf" value="([^"]+)"/.exec((await eve.get('/breaks')).body)?.[1] ?? '';
    const answer = await ann.post(`/breaks/${A}/decide`, { _csrf: token, events: '1', type: 'waived', reason: 'x' });
    expect(answer.statusCode).toBe(403);
  });
});

describe('a header of a proxy', () => {
  const headers = { 'x-forwarded-user': 'Eve', 'x-forwarded-groups': 'leads' };
  const proxy = (addresses: string[]) => ({
    proxy: { addresses, nameHeader: 'x-forwarded-user', rolesHeader: 'x-forwarded-groups' },
    roles: new Map([['leads', 'reviewer' as const]]),
  });
  const reopen = async (over: Parameters<typeof aSite>[0]) => {
    await site[Symbol.asyncDispose]();
    await open(over);
  };

  it('is believed from its own address', async () => {
    await reopen(proxy(['127.0.0.0/8']));
    expect((await (await site.browser()).get('/breaks', headers)).statusCode).toBe(200);
  });

  it.each([
    ['another address', ['10.0.0.7'], headers],
    ['an address that X-Forwarded-For claims', ['10.0.0.7'], { ...headers, 'x-forwarded-for': '10.0.0.7' }],
    ['a proxy that gives no known role', ['127.0.0.1'], { ...headers, 'x-forwarded-groups': 'nobody' }],
  ])('is not believed from %s', async (_, addresses, sent) => {
    await reopen(proxy(addresses));
    expect((await (await site.browser()).get('/breaks', sent)).statusCode).toBe(303);
  });

  it.each([
    ['in UTF-8', 'utf8'],
    ['in Latin-1', 'latin1'],
  ] as const)('%s gives the name as it is written', async (_, encoding) => {
    await reopen({ ...proxy(['127.0.0.1']), roles: new Map([['Prüfer', 'administrator' as const]]) });
    const { port } = new URL(await site.app.listen({ host: '127.0.0.1', port: 0 }));
    const head = ['GET /access HTTP/1.1', 'Host: a', 'X-Forwarded-User: René Voilà', 'X-Forwarded-Groups: Prüfer'];
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(Buffer.from([...head, 'Connection: close', '', ''].join('\r\n'), encoding));
    expect(await text(socket)).toContain('<bdi>René Voilà</bdi>');
  });

  it('that is not believed is recorded, once in ten minutes, and shown to the administrator', async () => {
    await reopen(proxy(['10.0.0.7']));
    const stranger = await site.browser();
    for (let i = 0; i < 3; i++) await stranger.get('/breaks', headers);
    expect(await refusals()).toEqual([
      [
        'Eve',
        'address:127.0.0.1',
        'stated',
        'x-forwarded-user from an address that is not among pages.proxy.addresses',
      ],
    ]);
    await reopen(proxy(['127.0.0.1']));
    await (await site.browser()).get('/breaks', { ...headers, 'x-forwarded-groups': 'none' });
    const { body } = await (await site.browser('Adam', 'administrator')).get('/access?outcome=refused');
    expect(body).toContain('x-forwarded-groups gives no role that pages.roles knows');
    expect(body).not.toContain('sign-in done');
  });

  it('is not read where no proxy is configured', async () => {
    expect((await (await site.browser()).get('/breaks', headers)).statusCode).toBe(303);
  });
});

const refusals = async () =>
  (await site.store.access.acts({ outcome: 'refused', limit: 1000 })).map(({ name, account, proof, detail }) => [
    name,
    account,
    proof,
    detail,
  ]);

describe('a refusal', () => {
  it('of a link that does not work, of a form without a sign-in, and of a forged form is recorded', async () => {
    const stranger = await site.browser();
    expect((await openLink(stranger, 'guessed')).statusCode).toBe(403);
    expect((await stranger.post('/claims', { title: 'x' })).statusCode).toBe(401);
    const ann = await site.browser('Ann', 'analyst');
    expect((await ann.post('/claims', { _csrf: 'forged', title: 'x' })).statusCode).toBe(403);
    expect((await ann.post('/claims', { title: '', reason: '' })).statusCode).toBe(409);
    const acts = await site.store.access.acts({ outcome: 'refused', limit: 10 });
    expect(acts.map(({ name, action }) => [name, action])).toEqual([
      ['Ann', 'POST /claims'],
      ['Ann', 'POST /claims'],
      ['not signed in', 'POST /claims'],
      ['not signed in', 'POST /sign-in/link/:secret'],
    ]);
    // The secret of a link is not for the record, whether it works or not.
    expect(JSON.stringify(acts)).not.toContain('guessed');
  });

  it('of a form whose session has ended shows what was typed, as text, and does nothing', async () => {
    await site[Symbol.asyncDispose]();
    let now = NOW;
    site = await aSite({}, () => now);
    const ann = await site.browser('Ann', 'analyst');
    const form = { _csrf: 'a b', title: 'short', reason: `A long reason. ${HOSTILE}` };
    now += 3_600_001;
    const { statusCode, body } = await ann.post('/claims', form);
    expect([statusCode, body.includes('Copy what you wrote')]).toEqual([401, true]);
    expect(body).toContain('A long reason. &quot;&gt;&lt;script&gt;');
    expect(body).not.toMatch(/<script>|<img|a b</);
    expect((await ann.post('/no-such-page', form)).statusCode).toBe(404);
    const stranger = await (await site.browser()).post('/claims', form);
    expect([stranger.statusCode, stranger.body.includes('A long reason')]).toEqual([401, false]);
    expect((await site.store.claims.list({ limit: 1 })).length).toBe(0);
  });

  it('is recorded again where the clock was set back', async () => {
    await site[Symbol.asyncDispose]();
    let now = NOW;
    site = await aSite({}, () => now);
    const stranger = await site.browser();
    await stranger.post('/claims', {});
    now -= 3_600_000;
    await stranger.post('/claims', {});
    expect((await refusals()).length).toBe(2);
  });

  it('of strangers fills no database', async () => {
    await site[Symbol.asyncDispose]();
    const addresses = ['10.0.0.7'];
    await open({ proxy: { addresses, nameHeader: 'x-forwarded-user', rolesHeader: 'x-forwarded-groups' } });
    for (let i = 0; i < 300; i++) {
      await site.app.inject({ url: '/sign-in', headers: { 'x-forwarded-user': `Eve ${i}` } });
    }
    expect((await refusals()).length).toBe(200);
  });
});

describe('a name', () => {
  it.each([
    ['of many letters', 'x'.repeat(256)],
    ['of two lines', 'Eve\nX'],
    ['with blanks around it', ' Bob  Lee '],
  ])('%s is revoked from the page that lists it', async (_, name) => {
    const person = await site.browser(name, 'analyst');
    const adam = await site.browser('Adam', 'administrator');
    // A browser sends each line break of a field as CR LF.
    await adam.post('/access/revoke', { name: name.replace('\n', '\r\n') }, '/access');
    expect((await person.get('/breaks')).statusCode).toBe(303);
    expect((await adam.get('/access')).statusCode).toBe(200);
  });
});

describe('a long text in a request', () => {
  it('that is refused is recorded by its beginning', async () => {
    await nightWith(site.store, aBreakEvent({ recordId: 'a' }));
    const ann = await site.browser('Ann', 'analyst');
    const until = 'z'.repeat(200_000);
    const answer = await ann.post(`/breaks/${A}/decide`, { events: '1', type: 'waived', reason: 'x', until });
    expect(answer.statusCode).toBe(409);
    expect((await refusals()).map(([, , , detail]) => detail?.length)).toEqual([500]);
  });

  it('is no address to return to: a cookie must hold it', () => {
    expect(localPath(`/${'x'.repeat(1999)}`)).toHaveLength(2000);
    expect(localPath(`/${'x'.repeat(2000)}`)).toBe('/breaks');
  });
});

describe('paths', () => {
  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', null])(
    'back to %s lead to the start page',
    (next) => {
      expect(localPath(next)).toBe('/breaks');
    },
  );

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['.htaccess', '_htaccess'],
    ['a\u0000b"\r\n.pdf', 'a_b___.pdf'],
    ['/', 'file'],
  ])('in a file name %j leave %s', (given, kept) => {
    expect(safeName(given)).toBe(kept);
  });

  it('do not climb out of a run or a break', async () => {
    const ann = await site.browser('Ann', 'analyst');
    for (const url of [
      '/runs/..%2f..%2fetc/files/passwd',
      '/runs/x/files/..%2fmanifest.json',
      '/months/2026-10/sets/0/..%2f..%2fmanifest.json',
      '/months/..%2f..%2fetc/sets/0/manifest.json',
      '/claims/..%2f..%2fkey/pack.zip',
      `/breaks/${A}/attachments/..%2f..%2fkey`,
    ]) {
      expect((await ann.get(url)).statusCode).toBe(404);
    }
  });
});

describe('a form with a file', () => {
  const part = (disposition: string, text: string) =>
    `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
  const send = async (url: string, type: string, form: (csrf: string) => string) => {
    await nightWith(site.store, aBreakEvent({ recordId: 'a' }));
    const ann = await site.browser('Ann', 'analyst');
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await ann.get('/breaks')).body)?.[1] ?? '';
    const headers = { cookie: ann.cookie, 'content-type': type };
    return site.app.inject({ method: 'POST', url, headers, payload: form(csrf) });
  };
  const attachments = `/breaks/${A}/attachments`;
  const file = part('name="file"; filename="a.txt"', 'what the bank wrote');

  it('is taken whole', async () => {
    const whole = (csrf: string) => `${part('name="_csrf"', csrf)}${file}--cut--\r\n`;
    const { statusCode } = await send(attachments, 'multipart/form-data; boundary=cut', whole);
    expect(statusCode).toBe(303);
    expect(await site.store.workList.attachments(A)).toMatchObject([{ fileName: 'a.txt', bytes: 19 }]);
  });

  it.each([
    ['that names no boundary', 'multipart/form-data', `${file}--cut--\r\n`],
    ['with an empty boundary', 'multipart/form-data; boundary=', `${file}--cut--\r\n`],
    ['with another boundary than the one it names', 'multipart/form-data; boundary=other', `${file}--cut--\r\n`],
    ['without an end', 'multipart/form-data; boundary=cut', file],
    ['cut off within the file', 'multipart/form-data; boundary=cut', file.slice(0, -10)],
    ['cut off within a header', 'multipart/form-data; boundary=cut', file.slice(0, 20)],
    ['of no parts', 'multipart/form-data; boundary=cut', 'what the bank wrote'],
  ])('%s is refused in a sentence', async (_, type, text) => {
    for (const url of [attachments, `/breaks/${A}/notes`, '/views']) {
      const { statusCode, body } = await send(url, type, (csrf) => part('name="_csrf"', csrf) + text);
      expect(statusCode).toBe(400);
      expect(body).toContain('The form is cut off, or names no boundary between its parts.');
    }
    expect(await site.store.workList.attachments(A)).toEqual([]);
  });

  it.each([
    ['with two files', file + file],
    ['with a file of more than 5 MiB', part('name="file"; filename="a"', 'a'.repeat(5 * 1024 * 1024 + 1))],
    ['with eleven fields', part('name="text"', 'a').repeat(10)],
  ])('%s is too large', async (_, text) => {
    const type = 'multipart/form-data; boundary=cut';
    const { statusCode, body } = await send(
      attachments,
      type,
      (csrf) => `${part('name="_csrf"', csrf)}${text}--cut--\r\n`,
    );
    expect(statusCode).toBe(413);
    expect(body).toContain('A form may have ten fields with 256 KiB of text, and one file of 5 MiB.');
  });

  it.each([
    ['of another multipart type', 'multipart/mixed; boundary=cut', 415],
    ['as JSON', 'application/json', 415],
    ['as text', 'text/plain', 415],
    ['of no type', ';', 415],
  ])('%s is not read', async (_, type, status) => {
    const { statusCode, body } = await send(attachments, type, () => file);
    expect(statusCode).toBe(status);
    expect(body).toContain('The request cannot be read.');
  });
});
