/** The work list as a person works it, over HTTP and without a browser. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nightWith } from '../store/support/break-nights.ts';
import { track } from '../store/support/scenario.ts';
import { aBreak, aBreakEvent } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';
import { aSite, claimOn, openLink, type Site } from './support/site.ts';

const A = aBreak({ recordId: 'a' }).breakId;

let site: Site;
beforeEach(async () => {
  site = await aSite();
  await track(site.store, 'a', 'b', 'c');
  await nightWith(
    site.store,
    aBreakEvent({ recordId: 'a', explanation: '<script>alert(1)</script> 6.26 EUR' }),
    aBreakEvent({ recordId: 'b', loss: dec('2500'), moneyAtStake: dec('2500') }),
    aBreakEvent({ recordId: 'c', state: 'waived' }),
  );
});
afterEach(() => site[Symbol.asyncDispose]());

const reason = 'refunded by us';

describe('signing in', () => {
  it('is needed for every page, and leads back to the page', async () => {
    const answer = await (await site.browser()).get('/breaks?rule=STATUS_STUCK');
    expect([answer.statusCode, answer.headers.location]).toEqual([
      303,
      '/sign-in?next=%2Fbreaks%3Frule%3DSTATUS_STUCK',
    ]);
    // A monitor that asks for the head of a page does nothing that a person would be refused.
    expect((await site.app.inject({ method: 'HEAD', url: '/breaks' })).statusCode).toBe(303);
    expect(await site.store.access.acts({ outcome: 'refused', limit: 1 })).toEqual([]);
  });

  it('by a link works once', async () => {
    await site.store.access.addLink({
      // SHA-256 of `x`.
      secretHash: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      name: 'Ann',
      roles: ['analyst'],
      madeBy: 'os:x',
      madeAt: 0,
      endsAt: Number.MAX_SAFE_INTEGER,
    });
    const nobody = await site.browser();
    // A scanner of e-mails opens the address before the person does.
    for (const method of ['GET', 'HEAD'] as const) await site.app.inject({ method, url: '/sign-in/link/x' });
    expect((await openLink(nobody, 'x')).headers.location).toBe('/breaks');
    expect((await nobody.get('/breaks')).statusCode).toBe(200);
    expect((await openLink(await site.browser(), 'x')).statusCode).toBe(403);
  });

  it('ends with the sign-out, for a copy of the cookie too', async () => {
    const ann = await site.browser('Ann', 'analyst');
    const { cookie } = ann;
    await ann.post('/sign-out', {});
    expect((await site.app.inject({ url: '/breaks', headers: { cookie } })).statusCode).toBe(303);
  });
});

describe('the queue', () => {
  it('has what needs a decision, the most money first, escaped', async () => {
    const { body } = await (await site.browser('Ann', 'viewer')).get('/breaks');
    expect(body).toContain('2 breaks match');
    expect(body).not.toContain('<script>alert');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body.indexOf('2,500')).toBeLessThan(body.indexOf('>1.50<'));
  });

  it('has one line for a break and those that it leads; status and what has moved are on its page, and filters', async () => {
    const [rule, field] = ['FEE_BASE_DIFFERS', 'base_fee'] as const;
    const known = { recordId: 'a', recordStatus: 'RELEASED', leadingBreakId: A } as const;
    const led = aBreakEvent({ ...known, rule, field, moneyAtStake: null });
    await nightWith(site.store, aBreakEvent(known, { type: 'seen' }), led);
    const ann = await site.browser('Ann', 'viewer');
    const { body } = await ann.get('/breaks?status=RELEASED&moved=yes');
    expect(body).toContain('1 break matches');
    expect(body).toContain(`with </span><a href="/breaks/${led.after.breakId}`);
    expect((await ann.get('/breaks?moved=no')).body).toContain('0 breaks match');
    expect((await ann.get('/breaks?moved=maybe')).body).toContain('Allowed: yes, no, pending, unknown.');
    const page = (await ann.get(`/breaks/${A}`)).body;
    expect(page).toContain('<code>RELEASED</code>, money has moved, the user bears the loss.');
  });

  it('has breaks about no single record: nothing moved there, no body came, and nothing can be claimed', async () => {
    const market = aBreakEvent({
      kind: 'market',
      recordId: 'ETH_DAI/EUR/onramp',
      moneyAtStake: null,
      evidenceSha256: null,
    });
    await nightWith(site.store, market);
    const page = (await (await site.browser('Ann', 'analyst')).get(`/breaks/${market.after.breakId}`)).body;
    expect(page).toContain('It is about many records');
    expect(page).not.toMatch(/Money has moved|\/claims\/new/);
  });

  it('filters by what the address says', async () => {
    const { body } = await (await site.browser('Ann', 'viewer')).get('/breaks?state=waived');
    expect(body).toContain('1 break matches');
  });
});

describe('a decision', () => {
  it('is applied as the command line applies it, with the name that was proved', async () => {
    const ann = await site.browser('Ann Lee', 'analyst');
    const answer = await ann.post(`/breaks/${A}/decide`, { events: '1', type: 'waived', until: '2026-12-31', reason });
    expect(answer.statusCode).toBe(303);
    const [standing] = await site.store.workList.byIds([A]);
    expect(standing).toMatchObject({ state: 'waived', waiver: { author: 'Ann Lee', until: '2026-12-31', reason } });
    const last = (await site.store.breaks.events(A)).at(-1);
    expect(last).toMatchObject({ who: 'Ann Lee', proof: 'proved', account: 'local:Ann Lee' });
  });

  it('to waive until a day that is over is refused on every page', async () => {
    const ann = await site.browser('Ann Lee', 'analyst');
    const wish = { events: '1', type: 'waived', until: '2026-11-21', reason };
    const big = aBreak({ recordId: 'b' }).breakId;
    for (const url of [`/breaks/${A}/decide`, '/bulk/preview', `/breaks/${big}/waiver`]) {
      const answer = await ann.post(url, wish, '/bulk');
      expect([url, answer.statusCode, answer.body.includes('would be over already: today is 2026-11-22')]).toEqual([
        url,
        409,
        true,
      ]);
    }
    expect(await site.store.workList.waiverRequests(big)).toEqual([]);
    // The last day itself is not over.
    expect((await ann.post(`/breaks/${A}/decide`, { ...wish, until: '2026-11-22' })).statusCode).toBe(303);
  });

  it('on a page that is out of date is refused, and the page as it is now keeps what was typed', async () => {
    const ann = await site.browser('Ann', 'analyst');
    await ann.post(`/breaks/${A}/decide`, { events: '1', type: 'acknowledged', reason });
    const typed = { type: 'waived', until: '2026-12-31', reason: `a <b>long</b> "reason" of $1` };
    const late = await ann.post(`/breaks/${A}/decide`, { events: '1', ...typed }, `/breaks/${A}`);
    expect(late.statusCode).toBe(409);
    expect(late.body).toContain('role="alert">');
    expect(late.body).toContain('<option value="waived" selected>');
    expect(late.body).toContain('<input value="2026-12-31" name="until" type="date">');
    expect(late.body).toContain(
      'required maxlength="2000">a &lt;b&gt;long&lt;/b&gt; &quot;reason&quot; of $1</textarea>',
    );
    expect(late.body).toContain('name="events" value="2"');
    expect((await site.store.workList.byIds([A]))[0]?.state).toBe('acknowledged');
  });

  it('without the token of the session is refused, and changes nothing', async () => {
    const ann = await site.browser('Ann', 'analyst');
    for (const _csrf of ['', 'forged']) {
      const answer = await ann.post(`/breaks/${A}/decide`, { _csrf, events: '1', type: 'waived', reason });
      expect(answer.statusCode).toBe(403);
    }
    expect((await site.store.workList.byIds([A]))[0]?.state).toBe('open');
  });

  it('of a viewer is refused, and the refusal is recorded', async () => {
    const vic = await site.browser('Vic', 'viewer');
    const answer = await vic.post(`/breaks/${A}/decide`, { events: '1', type: 'waived', reason });
    expect(answer.statusCode).toBe(403);
    const acts = await site.store.access.acts({ limit: 10 });
    expect(acts[0]).toMatchObject({ name: 'Vic', action: 'POST /breaks/:id/decide', outcome: 'refused' });
  });

  it('above the limit needs a second person', async () => {
    const ann = await site.browser('Ann', 'analyst');
    const big = aBreak({ recordId: 'b' }).breakId;
    const answer = await ann.post(`/breaks/${big}/decide`, { events: '1', type: 'waived', reason });
    expect([answer.statusCode, answer.body.includes('needs a second person')]).toEqual([409, true]);
  });
});

describe('a waiver above the limit', () => {
  const big = aBreak({ recordId: 'b' }).breakId;

  it('is asked for by one and approved by another', async () => {
    const ann = await site.browser('Ann', 'analyst', 'reviewer');
    expect((await ann.post(`/breaks/${big}/waiver`, { events: '1', reason: 'goodwill' })).statusCode).toBe(303);
    const [asked] = await site.store.workList.waiverRequests(big);
    const approve = { outcome: 'approved', reason: 'looked at it' };
    expect((await ann.get(`/breaks/${big}`)).body).not.toContain('Approve the waiver');
    const self = await ann.post(`/breaks/${big}/waiver/${asked?.key}`, approve);
    expect(self.statusCode).toBe(403);
    // The same account by another spelling of the name, too.
    const again = await (await site.browser('ANN', 'reviewer')).post(`/breaks/${big}/waiver/${asked?.key}`, approve);
    expect(again.statusCode).toBe(403);
    const bob = await site.browser('Bob', 'reviewer');
    expect((await bob.get(`/breaks/${big}`)).body).toContain('Approve the waiver');
    expect((await bob.post(`/breaks/${big}/waiver/${asked?.key}`, approve)).statusCode).toBe(303);
    const [standing] = await site.store.workList.byIds([big]);
    expect(standing).toMatchObject({
      state: 'waived',
      waiver: { author: 'Bob', reason: 'goodwill (asked by Ann; looked at it)' },
    });
  });
});

describe('a request for a waiver that two decide at the same moment', () => {
  const big = aBreak({ recordId: 'b' }).breakId;

  it.each([
    ['approved', 'refused'],
    ['refused', 'approved'],
    ['approved', 'approved'],
  ])('%s and %s', async (...outcomes) => {
    const ann = await site.browser('Ann', 'analyst');
    const [before] = await site.store.workList.byIds([big]);
    if (before?.state === 'waived')
      await ann.post(`/breaks/${big}/decide`, { events: `${before.events}`, type: 'reopened', reason });
    const [open] = await site.store.workList.byIds([big]);
    await ann.post(`/breaks/${big}/waiver`, { events: `${open?.events}`, reason: outcomes.join(' ') });
    const key = (await site.store.workList.waiverRequests(big)).at(-1)?.key;
    const people = await Promise.all(['Bob', 'Cleo'].map((name) => site.browser(name, 'reviewer')));
    const answers = await Promise.all(
      people.map((each, i) => each.post(`/breaks/${big}/waiver/${key}`, { outcome: outcomes[i] ?? '', reason })),
    );
    const [standing] = await site.store.workList.byIds([big]);
    const asked = (await site.store.workList.waiverRequests(big)).at(-1);
    expect(standing?.state === 'waived').toBe(asked?.outcome === 'approved');
    // One is told that it was too late.
    expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
  });
});

describe('a decision about many', () => {
  it('says what will change before it does', async () => {
    const ann = await site.browser('Ann', 'analyst');
    const wish = { query: '', type: 'waived', reason: 'goodwill' };
    const preview = await ann.post('/bulk/preview', wish, '/bulk');
    expect(preview.body).toContain('1 break will be waived');
    expect(preview.body).toContain('its money is above 1000 EUR');
    const version = /name="version" value="([0-9a-f]+)"/.exec(preview.body)?.[1] ?? '';
    expect((await site.store.workList.byIds([A]))[0]?.state).toBe('open');
    const applied = await ann.post('/bulk/apply', { ...wish, version }, '/bulk');
    expect(applied.statusCode).toBe(303);
    expect((await site.store.workList.byIds([A]))[0]?.state).toBe('waived');
  });

  it.each([
    ['of 20 chosen breaks names them', 20, '', /^break=[0-9a-f]{64}(&break=[0-9a-f]{64}){19}$/],
    ['of more names their number and a digest of the decided ones', 21, '', null],
    ['of more keeps the view from which they were chosen', 21, 'sort=age&', null],
  ])('%s, in the record of acts', async (_, chosen, view, named) => {
    const decided = [A, aBreak({ recordId: 'b' }).breakId].sort().reverse();
    const others = Array.from({ length: chosen - 2 }, (_each, i) => aBreak({ recordId: `x${i}` }).breakId);
    const query = `${view}${[...decided, ...others].map((id) => `break=${id}`).join('&')}`;
    const ann = await site.browser('Ann', 'analyst');
    const wish = { query, type: 'acknowledged', reason: 'asked' };
    const preview = await ann.post('/bulk/preview', wish, '/bulk');
    const version = /name="version" value="([0-9a-f]+)"/.exec(preview.body)?.[1] ?? '';
    await ann.post('/bulk/apply', { ...wish, version }, '/bulk');
    const [act] = await site.store.access.acts({ action: 'bulk.acknowledged', limit: 1 });
    const decision = (await site.store.breaks.events(A)).at(-1);
    // The decided breaks are found by the instant and the account of the act.
    expect(act).toMatchObject({ detail: '2', at: decision?.at, account: decision?.account });
    const digest = createHash('sha256').update(decided.toReversed().join('\n')).update('\n').digest('hex');
    if (named === null) expect(act?.subject).toBe(`${view}chosen=${chosen}&sha256=${digest}`);
    else expect(act?.subject).toMatch(named);
  });

  it('is refused where a break has moved since the preview', async () => {
    const ann = await site.browser('Ann', 'analyst');
    const wish = { query: '', type: 'acknowledged', reason: 'asked' };
    const preview = await ann.post('/bulk/preview', wish, '/bulk');
    const version = /name="version" value="([0-9a-f]+)"/.exec(preview.body)?.[1] ?? '';
    await ann.post(`/breaks/${A}/decide`, { events: '1', type: 'assigned', assignee: 'Bob', reason });
    const applied = await ann.post('/bulk/apply', { ...wish, version }, '/bulk');
    expect([applied.statusCode, applied.body.includes('have changed since the preview')]).toEqual([409, true]);
    expect((await site.store.workList.byIds([A]))[0]?.state).toBe('open');
  });
});

describe('a view as CSV', () => {
  it('has the rows of the view, and no cell that a spreadsheet would run', async () => {
    await nightWith(
      site.store,
      aBreakEvent({ recordId: 'c', state: 'open', explanation: '=HYPERLINK("x")' }, { type: 'seen' }),
    );
    const { body, headers } = await (await site.browser('Ann', 'viewer')).get('/breaks.csv?record=c');
    expect(headers['content-disposition']).toContain('attachment');
    expect(body.split('\n')).toHaveLength(3);
    expect(body).not.toMatch(/(^|,)"?=HYPERLINK/m);
  });
});

describe('a saved view', () => {
  it('is shown to its owner, and to others where it is shared', async () => {
    const ann = await site.browser('Ann', 'analyst');
    await ann.post('/views', { name: 'Mine', query: 'rule=STATUS_STUCK' });
    await ann.post('/views', { name: 'Ours', query: 'rule=RESTATED', shared: 'yes' });
    const bob = (await (await site.browser('Bob', 'viewer')).get('/breaks')).body;
    expect([bob.includes('Mine'), bob.includes('/breaks?rule=RESTATED"')]).toEqual([false, true]);
    expect((await ann.post('/views', { name: 'Wrong', query: 'rule=RESTATED&evil=1' })).statusCode).toBe(409);
    await (await site.browser('Bob', 'viewer')).post('/views/forget', { name: 'Ours' });
    await ann.post('/views/forget', { name: 'Mine' });
    expect((await site.store.workList.views('local:Ann')).map(({ name }) => name)).toEqual(['Ours']);
  });
});

describe('a note', () => {
  it('mentions colleagues who are known here', async () => {
    await site.browser('Bob Ray', 'viewer');
    const ann = await site.browser('Ann', 'analyst');
    await ann.post(`/breaks/${A}/notes`, { text: 'see @bobray <img src=x onerror=alert(1)>' });
    const { body } = await ann.get(`/breaks/${A}`);
    expect(body).toContain('&lt;img src=x');
    expect(await site.store.workList.notes(A)).toMatchObject([{ name: 'Ann', mentions: ['Bob Ray'] }]);
    const forBob = await (await site.browser('Bob Ray', 'viewer')).get('/mentions');
    expect(forBob.body).toContain(`/breaks/${A}`);
    expect((await (await site.browser('Bob', 'viewer')).get('/mentions')).body).not.toContain(`/breaks/${A}`);
  });
});

describe('a claim', () => {
  it('is on its breaks, until it is rejected', async () => {
    const ann = await site.browser('Ann', 'analyst');
    await claimOn(ann, `break=${A}`, { title: 'Card fees', reason: 'too much' });
    const claimId = (await site.store.claims.list({ limit: 1 }))[0]?.claimId ?? '';
    const standing = async () => (await site.store.workList.byIds([A]))[0]?.claimId;
    expect(await standing()).toBe(claimId);
    const twice = await ann.get(`/claims/new?break=${A}`);
    expect(twice.body).toContain('<h1>Nothing to claim</h1>');
    expect(twice.body).toContain('its record is in another claim already');
    const remark = 'a waiver withdraws no claim';
    expect((await ann.get(`/breaks/${A}`)).body).toContain(remark);
    const wish = { query: '', type: 'waived', reason: 'agreed' };
    expect((await ann.post('/bulk/preview', wish, '/bulk')).body).toContain(`(${claimId}), and ${remark}`);
    for (const [events, state] of ['sent', 'rejected'].entries()) {
      await ann.post(`/claims/${claimId}`, { events: String(events + 1), state, reason });
    }
    expect(await standing()).toBeUndefined();
    expect((await site.store.breaks.events(A)).map(({ type }) => type)).toEqual(['opened', 'claimed', 'claimed']);
  });
});

describe('a claim of selected breaks', () => {
  const [B, C] = ['b', 'c'].map((recordId) => aBreak({ recordId }).breakId);

  it('has the money of the ticked breaks, lists the omitted ones, and ties to them', async () => {
    await nightWith(
      site.store,
      aBreakEvent({ recordId: 'c', leadingBreakId: null, loss: null, moneyAtStake: null, state: 'open' }),
    );
    const ann = await site.browser('Ann', 'analyst');
    const query = `break=${A}&break=${B}&break=${C}`;
    const { body } = await ann.get(`/claims/new?${query}`);
    expect(body).toContain('Claim 2 breaks from the Service');
    expect(body).toContain('no money is at stake');
    expect((await claimOn(ann, query, { title: 'Two', reason: 'too much' })).statusCode).toBe(303);
    const [claim] = await site.store.claims.list({ limit: 1 });
    const items = await site.store.claims.items(claim?.claimId ?? '');
    const standing = await site.store.workList.byIds(items.map(({ breakId }) => breakId));
    const atStake = standing.map(({ moneyAside, recordCurrency }) => `${moneyAside} ${recordCurrency}`);
    expect(items.map(({ claimed, currency }) => `${claimed} ${currency}`).sort()).toEqual(atStake.sort());
    expect(standing.every(({ claimId }) => claimId === claim?.claimId)).toBe(true);
    const { body: list } = await ann.get('/claims');
    expect(list).toContain('>2,501.50<');
  });

  it('is refused where a break went elsewhere meanwhile', async () => {
    const [ann, bob] = [await site.browser('Ann', 'analyst'), await site.browser('Bob', 'analyst')];
    const { body } = await ann.get(`/claims/new?break=${A}&break=${B}`);
    const version = /name="version" value="([0-9a-f]+)"/.exec(body)?.[1] ?? '';
    await claimOn(bob, `break=${B}`, { title: 'Mine', reason: 'first' });
    const late = await ann.post('/claims', { query: `break=${A}&break=${B}`, version, title: 'Both', reason: 'late' });
    expect([late.statusCode, late.body.includes('nothing is claimed')]).toEqual([409, true]);
    expect(await site.store.claims.list({ limit: 9 })).toHaveLength(1);
  });

  it.each([
    ['/breaks?amount=10,50', 'at least'],
    ['/breaks?amount=ten', 'at least'],
    ['/breaks?month=foo', 'month'],
  ])('%s lists nothing and offers no decision: the filter “%s” cannot be read', async (url, label) => {
    const ann = await site.browser('Ann', 'analyst');
    const { statusCode, body } = await ann.get(url);
    expect([statusCode, body.includes(`The filter “${label}” cannot be read`)]).toEqual([400, true]);
    expect(body).toMatch(/aria-invalid="true"/);
    expect(body).not.toMatch(/href="\/bulk|name="ticked"/);
  });

  it.each(['amount=10%2C50', 'month=foo', 'break=x', 'group=x', 'ticked=yes'])(
    'is never about more than was meant: %s is refused',
    async (query) => {
      const ann = await site.browser('Ann', 'analyst');
      for (const path of ['/bulk', '/claims/new']) {
        const { statusCode, body } = await ann.get(`${path}?${query}`);
        expect([statusCode >= 400, /Decide about \d|Claim \d/.test(body)]).toEqual([true, false]);
      }
    },
  );

  it('or all that match a view: the breaks that are ticked are decided about alone', async () => {
    const ann = await site.browser('Ann', 'analyst');
    expect((await ann.get('/claims/new?amount=100')).body).toContain('Claim 1 break from the Service');
    expect((await ann.get(`/bulk?break=${A}`)).body).toContain('Decide about 1 break');
  });

  it('shows that its reminder is due', async () => {
    const ann = await site.browser('Ann', 'analyst');
    await claimOn(ann, `break=${A}`, { title: 'Card fees', reason: 'too much' });
    const [claim] = await site.store.claims.list({ limit: 1 });
    await ann.post(`/claims/${claim?.claimId}`, { events: '1', state: 'sent', remind: '2026-11-22', reason });
    expect((await ann.get('/claims')).body).toContain('2026-11-22 (due)');
  });
});
